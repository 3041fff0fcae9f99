import type { FieldError } from '#domain';

/** With it an object on the log is the name of a stored file, to whoever reads, exports or verifies it. */
const FILE_KEY = '$file';
const MESSAGE = `must not have a key ${FILE_KEY}: it is kept for stored files`;

/** What is wrong with an object that the log keeps as it is; null: it cannot be taken for a file. */
export const fileKeyFault = (value: object): { readonly message: string } | null =>
  Object.hasOwn(value, FILE_KEY) ? { message: MESSAGE } : null;

/** The same of all objects within a value, by their paths. */
export function fileKeysIn(value: object, path = '', found: FieldError[] = []): readonly FieldError[] {
  const isList = Array.isArray(value);
  const fault = isList ? null : fileKeyFault(value);
  if (fault !== null) found.push({ path, ...fault });
  for (const [key, part] of Object.entries(value)) {
    if (typeof part !== 'object' || part === null) continue;
    const field = path === '' ? key : `${path}.${key.slice(0, 100)}`;
    fileKeysIn(part as object, isList ? `${path}[${key}]` : field, found);
  }
  return found;
}
