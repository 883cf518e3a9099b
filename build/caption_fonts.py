"""Makes the fonts that captions are set in (render/caption/assets) from Noto releases.

Run once per change of a font or of the characters; the results are committed. Needs Python 3.11 with
fonttools 4.68.0 and skia-pathops 0.9.2 from PyPI, and the unpacked files of two packages:

    NotoSans[wdth,wght].ttf   from the PyPI package fontpkg-noto-sans 2.15
    NotoSansCJK-Medium.ttc    from the Debian package fonts-noto-cjk-extra 1:20220127+repack1-1

    python3 build/caption_fonts.py 'NotoSans[wdth,wght].ttf' NotoSansCJK-Medium.ttc

noto_sans.ttf holds every character of Noto Sans outside Devanagari, at weight 500.
noto_sans_cjk.otf holds what the first lacks of: kana, all Hangul syllables, and the characters of
GB 2312, Big5 level 1, JIS X 0208 and KS X 1001. Han characters have their mainland Chinese form.
noto_sans_jp.otf holds those characters of JIS X 0208 whose Japanese form differs from that.
Layout tables are left out, as the renderer's parser reads outlines and advances alone. The same
inputs give the same bytes.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

ASSETS = Path(__file__).parent.parent / "render/caption/assets"
WEIGHT = 500
JAPANESE, MAINLAND_CHINESE = 0, 2  # indices in the collection; all its fonts share their glyphs
DEVANAGARI = set(range(0x0900, 0x0980)) | set(range(0xA8E0, 0xA900)) | set(range(0x1CD0, 0x1D00))
HANGUL_SYLLABLES = set(range(0xAC00, 0xD7A4))
KANA_AND_FORMS = set(range(0x3000, 0x3200)) | set(range(0xFF00, 0xFFF0))
EACH = range(0xA1, 0xFF)


def main(noto_sans: str, noto_sans_cjk: str) -> None:
    ASSETS.mkdir(parents=True, exist_ok=True)
    european = TTFont(noto_sans, recalcTimestamp=False)
    european = instancer.instantiateVariableFont(
        european, {"wght": WEIGHT, "wdth": 100}, overlap=instancer.OverlapMode.REMOVE
    )
    first = set(european.getBestCmap()) - DEVANAGARI
    write(european, first, "noto_sans.ttf")

    chinese, japanese = (
        TTFont(noto_sans_cjk, fontNumber=index, recalcTimestamp=False)
        for index in (MAINLAND_CHINESE, JAPANESE)
    )
    jis = characters_of("euc_jp", EACH, EACH) | KANA_AND_FORMS
    all_cjk = (
        HANGUL_SYLLABLES
        | jis
        | characters_of("gb2312", EACH, EACH)
        | characters_of("euc_kr", EACH, EACH)
        | characters_of("big5", range(0xA1, 0xC7), [*range(0x40, 0x7F), *EACH])  # to level 1
    )
    chinese_glyphs, japanese_glyphs = chinese.getBestCmap(), japanese.getBestCmap()
    differing = {each for each in jis if chinese_glyphs.get(each) != japanese_glyphs.get(each)}
    write(chinese, all_cjk - first, "noto_sans_cjk.otf")
    write(japanese, differing - first, "noto_sans_jp.otf")


def write(font: TTFont, characters: set[int], name: str) -> None:
    options = subset.Options()
    options.layout_features = []
    options.hinting = False
    options.notdef_outline = True
    options.name_IDs = [0, 1, 2, 5, 13, 14]  # copyright, family, style, version, licence
    options.name_languages = [0x409]
    options.drop_tables += ["vhea", "vmtx", "VORG", "BASE", "STAT", "DSIG", "gasp", "prep"]
    options.drop_tables += ["GSUB", "GPOS", "GDEF"]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)
    path = ASSETS / name
    font.save(path)
    print(f"{name}: {len(font.getBestCmap())} characters, {path.stat().st_size:,} bytes")


def characters_of(encoding: str, leads, trails) -> set[int]:
    """What an encoding of two bytes can say with these lead and trail bytes."""
    texts = (bytes([lead, trail]).decode(encoding, "ignore") for lead in leads for trail in trails)
    return {ord(text) for text in texts if len(text) == 1}


if __name__ == "__main__":
    main(*sys.argv[1:])
