"""Language of a text, by its scripts, then by the function words of languages that share one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from focuscrawl.text.normalize import nfkc
from focuscrawl.text.scripts import ALL_HAN

_SAMPLE_CHARS = 2000
"""Half of it from the start, half from the middle, where a page's text is least likely to be its menu."""
_HAN_CHARS_A_WORD = 1.6
_SMALL_SHARE = 0.2
"""Share of words in a script from which on it decides: Chinese pages on technical matters are half Latin, while English
pages quote a Chinese phrase now and then."""
_FEWEST_HITS = 2
_PLAIN_SHARE, _PLAIN_WORDS = 0.15, 3
"""Share of all words and number of different ones from which on function words of another language overrule the one
that a page declares. Real cases have a share of 0.18 and nine words; names and menus have single ones, and Spanish has
the "de" and "en" of Dutch."""

_SCRIPTS = {
    "han": re.compile(f"[{ALL_HAN}]"),
    "kana": re.compile(r"[\u3041-\u3096\u30a1-\u30fa]"),
    "hangul": re.compile(r"[\uac00-\ud7a3]+"),
    "latin": re.compile(r"[a-zA-Z\u00c0-\u024f\u1e00-\u1eff]+"),
    "cyrillic": re.compile(r"[\u0400-\u052f]+"),
    "greek": re.compile(r"[\u0370-\u03ff]+"),
    "arabic": re.compile(r"[\u0620-\u06ff]+"),
    "hebrew": re.compile(r"[\u05d0-\u05ea]+"),
    "thai": re.compile(r"[\u0e01-\u0e4e]+"),
    "devanagari": re.compile(r"[\u0900-\u097f]+"),
}
_OTHER_SCRIPTS = re.compile("[\u0370-\u1dff\uac00-\ud7a3]")
# The first language of a script is the guess when nothing is declared.
_LANGUAGES = {
    "cyrillic": ("ru", "uk", "bg", "sr", "be", "mk", "kk", "mn"),
    "greek": ("el",),
    "arabic": ("ar", "fa", "ur"),
    "hebrew": ("he", "yi"),
    "thai": ("th",),
    "devanagari": ("hi", "mr", "ne"),
    "hangul": ("ko",),
}
_LITTLE_WORDS = {
    "en": "the of and to in is that for it with as was on are be this by have from or not which",
    "de": "der die und das ist nicht ein eine mit auf für von dem den sich des auch im zu als",
    "fr": "le la les des et est une dans que pour qui sur pas par au avec plus du ce sont",
    "es": "el los las que y en una por con para del se no es como más su al lo pero",
    "it": "il che di è per una con non sono della nel gli del si da anche le più alla dei",
    "pt": "o os as que e de do da em um uma para com não por mais dos das ao é",
    "nl": "de het een en van is dat niet op te zijn met voor die aan er ook bij naar wordt",
    "sv": "och att det som en är på för av med till den har inte ett om var från kan",
    "pl": "i w nie na się z jest do to że jak od po przez dla są czy oraz tym był",
    "tr": "ve bir bu için ile da de olarak olan daha gibi çok en sonra kadar ne ancak değil",
    "vi": "và của là có không được cho một trong các người với những này đã khi từ để",
    "id": "yang dan di untuk dengan dari pada ini dalam adalah tidak oleh itu sebagai juga akan atau",
}
_LANGUAGES_OF: dict[str, list[str]] = {}
for _language, _words in _LITTLE_WORDS.items():
    for _word in _words.split():
        _LANGUAGES_OF.setdefault(_word, []).append(_language)


def guess_language(text: str, declared: str = "") -> str:
    """Return the language of `text` as a primary BCP-47 tag ("zh", "en", "ja", ...), or "" when nothing tells.

    Parameters
    ----------
    text
        Any text; at most 2,000 characters of it are looked at.
    declared
        What the page says about itself ("zh-CN", "en_US"). It decides between languages of the same script, and for
        text too short to tell; it never overrules the script, nor what several function words say plainly, since
        templates often declare the wrong language.
    """
    hint = re.split(r"[-_,;\s]", declared.strip().lower(), maxsplit=1)[0]
    sample = text
    if len(text) > _SAMPLE_CHARS:
        half, middle = _SAMPLE_CHARS // 2, len(text) // 2
        sample = text[:half] + " " + text[middle : middle + half]
    sample = nfkc(sample)
    scripts: Iterable[str] = _SCRIPTS
    if sample.isascii():
        scripts = ("latin",)
    elif _OTHER_SCRIPTS.search(sample) is None:
        scripts = ("latin", "han", "kana")
    words = {script: float(len(_SCRIPTS[script].findall(sample))) for script in scripts}
    kana, han = words.pop("kana", 0.0), words.pop("han", 0.0)
    # Japanese text is half kana; Chinese text has at most a quoted name in it.
    words["ja" if kana > _SMALL_SHARE * (kana + han) else "zh"] = (kana + han) / _HAN_CHARS_A_WORD
    total = sum(words.values())
    if not total:
        return hint
    others = {script: count for script, count in words.items() if script != "latin" and count >= _SMALL_SHARE * total}
    script = max(others, key=lambda name: others[name], default="latin")
    if script in ("zh", "ja"):
        return script
    if script == "latin":
        return _latin_language(sample, hint)
    candidates = _LANGUAGES[script]
    return hint if hint in candidates else candidates[0]


def _latin_language(sample: str, hint: str) -> str:
    # An "I" is English or a numeral; in Polish, where it is "and", it begins few sentences.
    words = Counter(word.lower() for word in _SCRIPTS["latin"].findall(sample) if word != "I")
    hits = dict.fromkeys(_LITTLE_WORDS, 0)
    for word in words.keys() & _LANGUAGES_OF.keys():
        for language in _LANGUAGES_OF[word]:
            hits[language] += words[word]
    best = max(hits, key=lambda language: (hits[language], language == hint, language == "en"))
    if hits[best] < _FEWEST_HITS:
        return "" if hint in NOT_LATIN else hint
    # What is declared stands unless another language is plain to see.
    if hint and hint != best and hint not in NOT_LATIN:
        different = sum(best in _LANGUAGES_OF[word] for word in words.keys() & _LANGUAGES_OF.keys())
        if hits[best] < _PLAIN_SHARE * words.total() or different < _PLAIN_WORDS:
            return hint
    return best


NOT_LATIN = frozenset({"zh", "ja"}).union(*_LANGUAGES.values())
"""Languages that are told by their script."""
