/**
 * Bidi controls; characters that take no room (variation selectors excepted); tags, which spell hidden words (a flag of a
 * region is made of them, too, and is shown so); control characters but tab and line feed; and the zero-width joiners, which
 * are part of how emoji and some scripts are written.
 */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- these characters are what is looked for
  /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u2060-\u2065\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200c\u200d]/gu;

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
  if (text.search(HIDDEN) < 0) return text;
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
