/**
 * Which characters the embedded fonts can show, and what stands for the others.
 *
 * @module
 */

import assert from "node:assert/strict";
import { loadCaptionFont } from "../../caption/caption_font.ts";
import { readClusters } from "../../caption/clusters.ts";
import { openGlyphs } from "../../caption/glyph_source.ts";

const source = openGlyphs(await loadCaptionFont(), false);

const SAMPLES: Record<string, string> = {
  "Latin": "The quick brown fox jumps over the lazy dog 0123456789",
  "Latin with diacritics": "ÄÖÜßéèêëñçøåæœłőűžščřďťğışțșāēīōūÐðÞþ",
  "Vietnamese": "ẠẢẤẦẨẪẬắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹĐđƠơƯư",
  "Greek": "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ",
  "Cyrillic": "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґђјљњћџўқң",
  "punctuation": ".,;:!?¡¿…'\"‘’“”„«»‹›()[]{}-–—/\\|@#&%*+=<>~^_`§¶†‡•°€£$¥©®™№",
  "simplified Chinese": "一只红色的狐狸在黎明时分穿过新雪镜头缓慢推近龙凤凰飞机汽车长颈鹿",
  "traditional Chinese": "遠處的山被晨霧籠罩天空飄著雪花河面結冰孩子們在湖邊放風箏龍鳳凰飛機",
  "Chinese punctuation": "，。、；：？！「」『』（）《》〈〉【】〔〕—…·～￥",
  "Japanese": "ぁあぃいうえおがぎぐげごっゃゅょんァアヴヵヶー々〆夕暮海渡鯨込働峠辻榊",
  "Korean": "가각힣빛나는바다를건너는고래와하늘을나는연뷁쀍ㄱㅎㅏㅣ",
  "symbols": "→←↑↓★☆●○◎◆◇■□▲△▼▽♪",
};

for (const [script, sample] of Object.entries(SAMPLES)) {
  Deno.test(`the fonts have glyphs for a sample of ${script}`, () => {
    const missing = [...sample].filter((each) => source.find(each.codePointAt(0)!) === undefined);
    assert.deepEqual(missing, []);
    const inkless = [...sample].filter((each) =>
      each !== " " && source.find(each.codePointAt(0)!)!.outline.length < 3
    );
    assert.deepEqual(inkless, []);
  });
}

Deno.test("the fonts have every Hangul syllable", () => {
  for (let code = 0xac00; code <= 0xd7a3; code++) assert.ok(source.find(code), String(code));
});

Deno.test("openGlyphs() gives Han its Japanese form in Japanese text alone", async () => {
  const japanese = openGlyphs(await loadCaptionFont(), true);
  const outlineOf = (from: typeof source, character: string) =>
    JSON.stringify(from.find(character.codePointAt(0)!)!.outline);
  assert.notEqual(outlineOf(japanese, "直"), outlineOf(source, "直"));
  assert.equal(outlineOf(japanese, "一"), outlineOf(source, "一"));
  assert.equal(outlineOf(japanese, "A"), outlineOf(source, "A"));
});

Deno.test("readClusters() shows a letter that no font has as a box", () => {
  const clusters = readClusters("A ب", source);
  assert.deepEqual(clusters.map(({ character }) => character), ["A", " ", "ب"]);
  assert.equal(clusters[2]!.glyphs[0], source.box);
  assert.notEqual(clusters[0]!.glyphs[0], source.box);
});

Deno.test("readClusters() leaves out marks and symbols that no font has, and doubled spaces", () => {
  const clusters = readClusters("a \u{1f98a} b\u0e34", source);
  assert.deepEqual(clusters.map(({ character }) => character), ["a", " ", "b"]);
});

Deno.test("readClusters() keeps a mark with its letter", () => {
  const [letter, next] = readClusters("q\u0308x", source);
  assert.equal(letter!.glyphs.length, 2);
  assert.equal(letter!.character, "q");
  assert.equal(next!.character, "x");
});

Deno.test("readClusters() is empty when nothing but boxes would be seen", () => {
  assert.deepEqual(readClusters("مرحبا بالعالم", source), []);
  assert.deepEqual(readClusters(" ", source), []);
});
