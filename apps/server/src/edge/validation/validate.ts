import type { FieldError } from '#domain';
import { invalidFields } from '../problems/invalid-fields.js';
import { type DtoField, type FieldCheck, fieldsOf } from './dto-fields.js';
import type { Dto, Nesting } from './field-notes.js';
import { type Fault, isObject } from './rules.js';

/** The DTO of a query string: its values are texts, each given once, which `@FromText` reads. */
export abstract class QueryStringDto {
  /** No other class may be in its place: its lists would come as they are. */
  declare protected readonly isOfQueryString: true;
}

/** More than these help nobody, and an answer has a size, too. */
const MAX_ERRORS = 50;

/**
 * An instance of a DTO, made of what was sent, at any depth. Fields that are no DTOs are taken as they are.
 * @throws Problem invalid_request, with the fields that are unknown or wrong, at most MAX_ERRORS
 */
export function validated<T extends object>(dto: Dto<T>, sent: unknown): T {
  const walk = new Walk(dto.prototype instanceof QueryStringDto);
  const instance = walk.instanceOf(dto, sent, '');
  if (walk.errors.length > 0) throw invalidFields(walk.errors, walk.reason);
  return instance as T;
}

/** What is wrong with the value of one field, if it is held against its rules alone. */
export const messageFor = (field: DtoField, value: unknown): string | null =>
  faultOf(field, value, { [field.name]: value })?.message ?? null;

/** Of a DTO, while its fields are read. */
type Instance = Record<string, unknown>;

/** Owns what was found on its way. */
class Walk {
  readonly errors: FieldError[] = [];
  /** The finer code of the first of them. */
  reason: string | undefined;

  constructor(private readonly isQuery: boolean) {}

  /** Stops making and checking where there is enough to tell. */
  instanceOf(dto: Dto, sent: unknown, path: string): object {
    const instance = new dto() as Instance;
    if (this.errors.length >= MAX_ERRORS) return instance;
    if (!isObject(sent)) {
      this.add(path === '' ? 'body' : path, 'must be an object', 'invalid_type');
      return instance;
    }
    const fields = fieldsOf(dto);
    for (const name of Object.keys(sent)) {
      const holder = fields.get(name.slice(0, Math.max(0, name.indexOf('.'))));
      if (holder?.notes.isPrefix === true) this.takeInto(instance, holder.name, name, sent[name]);
      else this.take(instance, name, fields.get(name), sent[name], path);
    }
    for (const field of fields.values()) this.check(instance, field, path);
    return instance;
  }

  private take(
    instance: Instance,
    name: string,
    field: DtoField | undefined,
    value: unknown,
    path: string,
  ): void {
    const place = join(path, name.slice(0, 100));
    if (field === undefined || field.notes.isPrefix === true)
      this.add(place, `is not a known ${this.isQuery ? 'parameter' : 'field'}`, 'unknown_parameter');
    else if (!this.isQuery) instance[name] = value;
    else if (typeof value === 'string') instance[name] = field.notes.read?.(value) ?? value;
    else this.add(place, 'must be given once');
  }

  /** One of several parameters of a field. */
  private takeInto(instance: Instance, holder: string, name: string, value: unknown): void {
    if (typeof value !== 'string') return this.add(name.slice(0, 100), 'must be given once');
    instance[holder] = {
      ...(instance[holder] as object | undefined),
      [name.slice(holder.length + 1)]: value,
    };
  }

  private check(instance: Instance, field: DtoField, path: string): void {
    const { name, notes, conditions } = field;
    const value = instance[name];
    for (const holds of conditions) if (!holds(instance, value)) return;
    const place = join(path, name);
    const fault = faultOf(field, value, instance);
    if (fault !== null) this.add(place + (fault.at ?? ''), fault.message);
    else if (notes.nesting !== undefined) instance[name] = this.nested(field, notes.nesting, instance, place);
  }

  private nested({ isList, name }: DtoField, nesting: Nesting, owner: Instance, place: string): unknown {
    const value = owner[name];
    if (!isList) return this.one(nesting, value, owner, place);
    return (value as unknown[]).map((item, index) => this.one(nesting, item, owner, `${place}[${index}]`));
  }

  private one(
    { of: [first], choose, unknown }: Nesting,
    value: unknown,
    owner: Instance,
    place: string,
  ): unknown {
    const dto = isObject(value) ? choose(value, owner) : first;
    if (dto) return this.instanceOf(dto, value, place);
    this.add(place + (unknown?.at ?? ''), unknown?.message ?? 'is wrong');
    return value;
  }

  private add(path: string, message: string, reason?: string): void {
    if (this.errors.length === 0) this.reason = reason;
    if (this.errors.length < MAX_ERRORS) this.errors.push({ path, message });
  }
}

function faultOf({ checks, notes }: DtoField, value: unknown, object: object): Fault | null {
  if (value === undefined && (checks.length > 0 || notes.nesting !== undefined))
    return { message: 'is required' };
  for (const check of checks) {
    const fault =
      check.isEach && Array.isArray(value)
        ? itemFault(check, value, object)
        : valueFault(check, value, object);
    if (fault !== null) return fault;
  }
  return null;
}

function itemFault(check: FieldCheck, items: readonly unknown[], object: object): Fault | null {
  const subject = check.subject(items, object);
  const index = items.findIndex((item) => !check.passes(item, subject));
  if (index === -1) return null;
  return { message: check.message({ ...subject, value: items[index] }), at: `[${index}]` };
}

function valueFault(check: FieldCheck, value: unknown, object: object): Fault | null {
  const subject = check.subject(value, object);
  if (check.passes(value, subject)) return null;
  const at = check.rule?.(value)?.at;
  return { message: check.message(subject), ...(at === undefined ? {} : { at }) };
}

const join = (path: string, field: string): string => (path === '' ? field : `${path}.${field}`);
