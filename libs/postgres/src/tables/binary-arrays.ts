/**
 * Arrays as PostgreSQL takes them in binary form: an array of a thousand texts costs neither quoting nor, for bytes,
 * hexadecimal digits. Source: src/backend/utils/adt/arrayfuncs.c, array_recv.
 */
export const texts = (values: readonly (string | null)[]): Buffer =>
  encode(
    TEXT,
    values.map((value) => (value === null ? null : Buffer.from(value, 'utf8'))),
  );

export const bytes = (values: readonly (Uint8Array | null)[]): Buffer => encode(BYTEA, values);

export const integers = (values: readonly (number | null)[]): Buffer =>
  fixed(INT4, 4, values, (array, value, at) => array.writeInt32BE(value, at));

export const bigints = (values: readonly (number | null)[]): Buffer =>
  fixed(INT8, 8, values, (array, value, at) => array.writeBigInt64BE(BigInt(value), at));

export const booleans = (values: readonly (boolean | null)[]): Buffer =>
  fixed(BOOL, 1, values, (array, value, at) => array.writeInt8(value ? 1 : 0, at));

// Object ids of the element types (src/include/catalog/pg_type.dat).
const BOOL = 16;
const BYTEA = 17;
const INT8 = 20;
const INT4 = 23;
const TEXT = 25;

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL = -1;

function encode(type: number, values: readonly (Uint8Array | null)[]): Buffer {
  const size = values.reduce((sum, value) => sum + LENGTH_BYTES + (value?.length ?? 0), HEADER_BYTES);
  const array = withHeader(type, values, size);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = array.writeInt32BE(value?.length ?? NULL, at);
    if (value !== null) {
      array.set(value, at);
      at += value.length;
    }
  }
  return array;
}

function fixed<T>(
  type: number,
  width: number,
  values: readonly (T | null)[],
  write: (array: Buffer, value: T, at: number) => void,
): Buffer {
  const present = values.reduce((n, value) => (value === null ? n : n + 1), 0);
  const array = withHeader(type, values, HEADER_BYTES + values.length * LENGTH_BYTES + present * width);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = array.writeInt32BE(value === null ? NULL : width, at);
    if (value === null) continue;
    write(array, value, at);
    at += width;
  }
  return array;
}

/** One dimension that starts at 1. */
function withHeader(type: number, values: readonly unknown[], size: number): Buffer {
  const array = Buffer.allocUnsafe(size);
  array.writeInt32BE(1, 0);
  array.writeInt32BE(values.includes(null) ? 1 : 0, 4);
  array.writeInt32BE(type, 8);
  array.writeInt32BE(values.length, 12);
  array.writeInt32BE(1, 16);
  return array;
}
