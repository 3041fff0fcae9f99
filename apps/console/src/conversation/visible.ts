/** Characters that turn the direction of text round. */
const BIDI = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
/** Characters that take no room, variation selectors and joiners excepted. */
const ZERO_WIDTH =
  '\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180e\\u200b\\u2060-\\u2065\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb';
/** Tags spell hidden words; a flag of a region is made of them, too, and is shown so. */
const TAGS = '\\u{e0000}-\\u{e007f}';
const CONTROLS = '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f';
/** Zero-width non-joiner and joiner: part of how emoji and some scripts are written. */
const JOINERS = '\\u200c\\u200d';

const HIDDEN = new RegExp(`[${BIDI}${ZERO_WIDTH}${TAGS}${CONTROLS}${JOINERS}]`, 'gu');
const HAS_HIDDEN = new RegExp(`[${BIDI}${ZERO_WIDTH}${TAGS}${CONTROLS}${JOINERS}]`, 'u');

const EMOJI_BEFORE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/u;
const EMOJI_BEHIND = /^\p{Extended_Pictographic}/u;
/** Scripts in which a joiner changes how a letter is written. */
const JOINING =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}]$/u;

/**
 * The text with everything spelled out that an eye would not see, or that would make it read something else than what is
 * there: bidi controls, zero-width characters and other controls but tab and line feed become `U+202E`. A joiner stays where
 * writing needs it: within an emoji, and behind a letter of a script that joins.
 */
export function visible(text: string): string {
  if (!HAS_HIDDEN.test(text)) return text;
  return text.replace(HIDDEN, (character, at: number) => {
    const isWritten = (character === '\u200d' || character === '\u200c') && belongs(text, character, at);
    return isWritten ? character : spelled(character);
  });
}

const spelled = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

function belongs(text: string, joiner: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  if (JOINING.test(before)) return true;
  return joiner === '\u200d' && EMOJI_BEFORE.test(before) && EMOJI_BEHIND.test(text.slice(at + 1, at + 3));
}
