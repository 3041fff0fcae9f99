/**
 * Text from outside in a form that every store takes: no lone surrogates and no U+0000 (PostgreSQL refuses both), each
 * replaced by U+FFFD.
 */
export function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', '\uFFFD') : whole;
}
