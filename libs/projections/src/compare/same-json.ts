/**
 * Whether two parsed JSON values are equal; the order of an object's fields says nothing. It does not recurse: a model may
 * nest its arguments as deeply as it likes.
 */
export function isSameJson(a: unknown, b: unknown): boolean {
  const open: [unknown, unknown][] = [[a, b]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [left, right] = pair;
    if (left === right) continue;
    if (!isObject(left) || !isObject(right) || Array.isArray(left) !== Array.isArray(right)) return false;
    const names = Object.keys(left);
    if (names.length !== Object.keys(right).length) return false;
    for (const name of names) {
      if (!Object.hasOwn(right, name)) return false;
      open.push([left[name], right[name]]);
    }
  }
  return true;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
