import { IsInt, Max, Min } from 'class-validator';
import { Describe, FromDigits, FromText, IsNameParameter, MayBeOmitted, all } from './decorators.js';
import { LENGTHS } from './lengths.js';
import { MAX_TIME, timeOf } from './rules.js';
import { QueryStringDto } from './validate.js';

export const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 200;
const A_LIMIT = { message: `must be a whole number from 1 to ${MAX_LIMIT}` };
const AN_EVENT = { message: 'must be the id of an event: a whole number, 0 or more' };

/** How many items a page has. */
export const IsLimit = (): PropertyDecorator =>
  all(FromDigits(), IsInt(A_LIMIT), Min(1, A_LIMIT), Max(MAX_LIMIT, A_LIMIT));

/** Every list's parameters. */
export class PageQuery extends QueryStringDto {
  @IsLimit()
  readonly limit: number = DEFAULT_LIMIT;

  @MayBeOmitted()
  @IsNameParameter(LENGTHS.cursor)
  readonly cursor?: string;
}

/** An id of an event as a text: of a query string, or of a header. */
export const IsEventId = (): PropertyDecorator =>
  all(FromDigits(), IsInt(AN_EVENT), Min(0, AN_EVENT), Max(Number.MAX_SAFE_INTEGER, AN_EVENT));

/** An event of a session, shown or not: a larger one than there can be is one that is not there. */
export const IsEventOfSession = (): PropertyDecorator =>
  all(
    FromText((text) => (/^\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : text)),
    IsInt(AN_EVENT),
    Min(0, AN_EVENT),
    Max(Number.MAX_SAFE_INTEGER, AN_EVENT),
  );

/** `?at=` */
export class MomentQuery extends QueryStringDto {
  @MayBeOmitted()
  @IsEventOfSession()
  readonly at?: number;
}

/** A date, or a date and time with its offset from UTC (RFC 3339), as milliseconds since 1970. */
export const IsTimeParameter = (): PropertyDecorator =>
  all(
    FromText((text) => timeOf(text) ?? text),
    IsInt({ message: 'must be a date or a time: 2026-01-31 or 2026-01-31T12:00:00Z' }),
    Describe({ type: 'string', maxLength: MAX_TIME, examples: ['2026-01-31', '2026-01-31T12:00:00Z'] }),
  );
