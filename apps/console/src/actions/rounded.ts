/** Digits of a number that every number of a browser can hold. */
const SAFE_DIGITS = 15;

/**
 * Whether a value that came as JSON may hold a number that was rounded when it was read: one of more digits than a number
 * of a browser, or of the service, is sure to keep.
 */
export function mayBeRounded(value: unknown): boolean {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'number' && isLong(next)) return true;
    if (typeof next === 'object' && next !== null) left.push(...(Object.values(next) as unknown[]));
  }
  return false;
}

const isLong = (number: number): boolean =>
  Math.abs(number) > Number.MAX_SAFE_INTEGER ||
  (String(number).split('e')[0] ?? '').replaceAll(/[-.]/g, '').replace(/^0+/, '').length > SAFE_DIGITS;
