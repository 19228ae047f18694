"""The S-stemmer: English plurals become singular, nothing else changes."""

from __future__ import annotations

_MIN_CHARS = 4
"""Shorter words stay as they are: "bus", "gas", "his", "was" are no plurals."""
_MAX_MEMO = 200_000
"""Distinct words remembered; a crawl's English vocabulary is below that, junk tokens are not."""
_IRREGULAR_PLURALS = """
    men:man women:woman gentlemen:gentleman policemen:policeman firemen:fireman fishermen:fisherman freshmen:freshman
    businessmen:businessman salesmen:salesman congressmen:congressman craftsmen:craftsman spokesmen:spokesman
    sportsmen:sportsman chairmen:chairman children:child feet:foot teeth:tooth geese:goose mice:mouse lice:louse
    oxen:ox knives:knife wives:wife lives:life leaves:leaf wolves:wolf halves:half calves:calf shelves:shelf
    loaves:loaf thieves:thief selves:self elves:elf scarves:scarf hooves:hoof criteria:criterion phenomena:phenomenon
    bacteria:bacterium fungi:fungus cacti:cactus nuclei:nucleus radii:radius stimuli:stimulus foci:focus
    alumni:alumnus larvae:larva antennae:antenna nebulae:nebula supernovae:supernova algae:alga vertebrae:vertebra
    formulae:formula genera:genus corpora:corpus quanta:quantum spectra:spectrum strata:stratum curricula:curriculum
    millennia:millennium ganglia:ganglion matrices:matrix vertices:vertex indices:index appendices:appendix
    vortices:vortex codices:codex helices:helix analyses:analysis analyse:analysis crises:crisis crise:crisis
    theses:thesis hypotheses:hypothesis syntheses:synthesis prostheses:prosthesis parentheses:parenthesis oases:oasis
    axes:axis diagnoses:diagnosis prognoses:prognosis neuroses:neurosis psychoses:psychosis buses:bus viruses:virus
    statuses:status campuses:campus bonuses:bonus censuses:census choruses:chorus cactuses:cactus focuses:focus
    geniuses:genius surpluses:surplus octopuses:octopus walruses:walrus crocuses:crocus sinuses:sinus gases:gas
    lenses:lens atlases:atlas canvases:canvas biases:bias aliases:alias quizzes:quiz waltzes:waltz irises:iris
    taxis:taxi skis:ski emojis:emoji wikis:wiki kiwis:kiwi
"""
_IRREGULAR = dict(pair.split(":") for pair in _IRREGULAR_PLURALS.split())
"""Plurals that no rule finds."""
_ENDING_IN_S = """
    news lens always perhaps atlas canvas bias alias texas kansas arkansas christmas mars does goes whereas besides
"""
_NO_PLURALS = frozenset(_ENDING_IN_S.split())
_NO_ENDINGS = ("us", "ss", "is")
_SILENT_E = ("che", "she", "sse", "zze", "xe", "oe")


def s_stem(word: str) -> str:
    """Return `word` without its plural ending, so that a plural and its singular give the same.

    Irregular plurals are listed. Of all others "-s" goes, but not after u, i or s; then "-ie" becomes "-y", and the e
    of "-che", "-she", "-sse", "-zze", "-xe" and "-oe" goes, which plurals have and some singulars. Words of fewer than
    four characters stay. What comes out need not be a word ("movie" and "movies" give "movy"). The rules are meant for
    lower-case words.

    References
    ----------
    .. [1] Donna Harman, How effective is suffixing?, Journal of the American Society for Information Science 42(1),
       1991: the "S stemmer", whose three rules leave "boxes", "potatoes" and "movies" apart from their singulars.
    """
    if len(word) < _MIN_CHARS:
        return word
    known = _IRREGULAR.get(word)
    if known is not None:
        return known
    if word[-1] == "s":
        if word[-2:] in _NO_ENDINGS or word in _NO_PLURALS:
            return word
        word = word[:-1]
    if word[-1] == "e" and len(word) >= _MIN_CHARS:
        if word[-2:] == "ie":
            return word[:-2] + "y"
        if word.endswith(_SILENT_E):
            return word[:-1]
    return word


class StemMemo(dict[str, str]):
    """Word to stem, computed once a word: ``[memo[word] for word in words]`` runs at the speed of a dict."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _MAX_MEMO:
            self.clear()
        stem = self[word] = s_stem(word)
        return stem
