"""Pages of a site that are about the site: its makers, terms, search and accounts, and how its pages changed."""

from __future__ import annotations

import re

from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.own import title_pieces
from focuscrawl.text.simplified import simplified

_TITLES = """
关于我们, 关于本站, 关于我, 关于, 联系我们, 联络我们, 联系方式, 加入我们, 意见反馈, 留言板, 友情链接, 友链,
网站地图, 站点地图, 帮助中心, 登录, 登陆, 用户登录,
会员登录, 注册, 用户注册, 会员注册, 找回密码, 忘记密码, 个人中心, 购物车,
会员列表, 用户列表, 版本历史, 修订历史, 修订记录, 编辑历史,
隐私政策, 隐私声明, 免责声明, 版权声明, 服务条款, 使用条款, 服务协议, 用户协议, 搜索, 站内搜索, 搜索结果, 页面不存在,
about, about us, about me, about this site, contact, contact us, contact me, feedback, sitemap, site map,
log in, login, sign in, sign up, register, create account, reset password, my account, shopping cart, checkout,
members, member list, user profile, revision history, edit history, page history,
privacy, privacy policy, privacy notice, cookie policy, terms of service, terms of use, terms and conditions,
disclaimer, imprint, impressum, search, search results, page not found
"""
_NAMES = frozenset(simplified(name.strip()) for name in _TITLES.split(","))
_SEARCH = re.compile(r"^(?:search results? (?:for|of)\b|search\s*:|(?:站内)?搜索(?:结果)?\s*[:：])|的?搜索结果$")


def site_page_name(page: PageAnalysis) -> str:
    """Return the first part of a page's title where that is the usual name of a page about its site; '' otherwise.

    Of the results of a search it is the words without those searched for.
    """
    pieces = title_pieces(page.title)
    name = pieces[0] if pieces else ""
    plain = simplified(" ".join(name.casefold().split()).strip("“”\"'.!！ "))
    if plain in _NAMES:
        return name
    found = _SEARCH.search(plain)
    return found[0] if found is not None else ""
