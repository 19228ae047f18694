"""Words that generated webs are written in: subjects with words of their own, and words that any text has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """Words and names of generated pages."""

    code: str
    joiner: str  # between words
    stop: str  # at the end of a sentence
    subjects: Mapping[str, tuple[str, ...]]  # ASCII name -> words, the first being its title
    plain: tuple[str, ...]
    menu: tuple[str, ...]
    dull_anchors: tuple[str, ...]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ENGLISH = Language(
    "en",
    " ",
    ".",
    {
        "beekeeping": _words(
            "beekeeping hive honey queen swarm nectar pollen brood apiary drone smoker honeycomb varroa wax forage"
            " colony worker sting propolis mead"
        ),
        "sailing": _words(
            "sailing mast rudder keel harbour regatta rigging spinnaker anchor tide hull skipper halyard knot jib"
            " leeward tacking mooring buoy helm"
        ),
        "pottery": _words(
            "pottery kiln glaze clay stoneware porcelain wheel slip bisque ceramic firing earthenware vase potter"
            " celadon raku mug handle throwing shard"
        ),
        "geology": _words(
            "geology basalt granite fault sediment fossil magma strata mineral tectonic erosion quartz volcano crust"
            " limestone glacier mantle outcrop fold schist"
        ),
        "orchestra": _words(
            "orchestra violin conductor symphony cello oboe concerto rehearsal score viola bassoon timpani overture"
            " tempo clarinet sonata baton string brass encore"
        ),
        "gardening": _words(
            "gardening compost seedling prune mulch perennial greenhouse tomato weed soil bulb hedge lawn pot watering"
            " trellis cutting border spade frost"
        ),
    },
    _words(
        "people year place thing morning city small large often begin find talk open house street water light letter"
        " question answer number week friend story picture table window travel market school paper colour simple"
        " different early later always never perhaps many some other after before under between because while could"
        " would should think know make give take come look use work call try ask need feel become leave put mean keep"
        " let seem help show hear play run move live believe bring happen write provide sit stand lose pay meet"
    ),
    _words("home about archive contact links search login imprint privacy guestbook news events"),
    ("read more", "more", "here", "continue", "next", "full text", "details", "link"),
)

CHINESE = Language(
    "zh",
    "",
    "。",
    {
        "tea": _words(
            "茶道 茶叶 紫砂壶 普洱 绿茶 乌龙茶 茶园 采茶 炒青 茶汤 龙井 白茶 红茶 茶具 品茗 茶艺 茶香 茶树 冲泡 盖碗"
        ),
        "calligraphy": _words(
            "书法 毛笔 宣纸 行书 楷书 隶书 草书 碑帖 临摹 墨汁 砚台 篆刻 笔法 章法 兰亭序 颜体 柳体 魏碑 落款 书家"
        ),
        "railway": _words(
            "铁路 火车 车站 机车 轨道 高铁 信号灯 车厢 调度 隧道 道岔 列车员 货运 客运 枕木 蒸汽机 时刻表 站台 铁道"
        ),
        "beekeeping": _words(
            "养蜂 蜂箱 蜂蜜 蜂王 蜂群 花粉 蜂蜡 采蜜 蜂巢 雄蜂 工蜂 蜜源 分蜂 蜂胶 蜂农 巢脾 王浆 蜜蜂 割蜜 螨虫"
        ),
        "porcelain": _words(
            "瓷器 青花 官窑 釉色 景德镇 陶土 窑炉 拉坯 汝窑 钧窑 开片 胎体 瓷都 釉里红 烧制 素坯 彩绘 龙泉 瓷片 定窑"
        ),
        "chess": _words(
            "围棋 棋谱 定式 布局 棋手 官子 死活 段位 棋盘 黑棋 白棋 劫争 收官 星位 中盘 对局 棋院 让子 气数 棋圣"
        ),
    },
    _words(
        "我们 今天 时候 地方 城市 生活 朋友 故事 工作 时间 问题 开始 觉得 可以 没有 已经 一个 这样 那里 因为 所以 但是"
        " 如果 可能 非常 重要 简单 不同 早上 晚上 街道 房子 窗户 学校 市场 图片 文字 回答 数字 周末 旅行 写下 看见 听说"
        " 知道 希望 需要 成为 离开 带来 发生 遇到 相信 帮助 几年 许多 其他 之前 之后 之间 慢慢 常常 也许 从来 大家 自己"
    ),
    _words("首页 关于 归档 联系 友链 搜索 登录 声明 隐私 留言板 新闻 活动"),
    ("阅读全文", "更多", "点击这里", "继续", "下一篇", "全文", "详情", "链接"),
)

LANGUAGES = {"en": ENGLISH, "zh": CHINESE}
