import type { JsonSchema } from './rules.js';

export type Dto<T extends object = object> = new () => T;

/** What of a DTO is another DTO. */
export interface Nesting {
  /** Every DTO that `choose` may name, but those that take nothing. */
  readonly of: readonly Dto[];
  /** The DTO that an object is held against, by itself and by what it stands in; null: none, which is `unknown`. */
  readonly choose: (value: unknown, owner: object) => Dto | null;
  readonly unknown?: { readonly at: string; readonly message: string };
}

/** What is noted of a field besides the rules that class-validator keeps. */
export interface FieldNotes {
  readonly nesting?: Nesting;
  readonly read?: (text: string) => unknown;
  readonly schema?: JsonSchema;
  /** Of a query string: holds the parameters whose names begin with its own and a dot, by what follows. */
  readonly isPrefix?: true;
}

/** By prototype, as decorators see it. Owns nothing else; filled while the classes are read. */
const noted = new WeakMap<object, Map<string, FieldNotes>>();

const note =
  (more: FieldNotes): PropertyDecorator =>
  (prototype, property) => {
    const fields = noted.get(prototype) ?? new Map<string, FieldNotes>();
    noted.set(prototype, fields.set(String(property), { ...fields.get(String(property)), ...more }));
  };

export const noteNesting = (nesting: Nesting): PropertyDecorator => note({ nesting });
export const noteReading = (read: (text: string) => unknown): PropertyDecorator => note({ read });
export const notePrefix = (): PropertyDecorator => note({ isPrefix: true });
export const noteSchema = (schema: JsonSchema): PropertyDecorator => note({ schema });

/** Of a field of a DTO, its own or inherited. */
export function notesOf(dto: Dto, field: string): FieldNotes {
  for (
    let of = dto.prototype as object | null;
    of !== null;
    of = Object.getPrototypeOf(of) as object | null
  ) {
    const found = noted.get(of)?.get(field);
    if (found !== undefined) return found;
  }
  return {};
}
