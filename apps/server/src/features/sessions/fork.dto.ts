import { IsBoolean } from 'class-validator';
import {
  Describe,
  FromText,
  IsFilledText,
  MayBeOmitted,
  Satisfies,
} from '../../edge/validation/decorators.js';
import { LENGTHS } from '../../edge/validation/lengths.js';
import type { Rule } from '../../edge/validation/rules.js';
import { QueryStringDto } from '../../edge/validation/validate.js';

/** Streams show ids of events as text, so a text is taken, too. */
const event: Rule = (value) => (isEventId(value) ? null : { message: 'must be the id of an event' });

const isEventId = (value: unknown): boolean =>
  typeof value === 'string' ? /^\d{1,400}$/.test(value) : Number.isInteger(value) && Number(value) >= 0;

/** The body of `POST /sessions/{session}/fork`. */
export class ForkDto {
  @MayBeOmitted()
  @Satisfies('isEvent', event)
  @Describe({
    anyOf: [
      { type: 'integer', minimum: 0 },
      { type: 'string', pattern: '^[0-9]+$', maxLength: 400 },
    ],
    description: 'Id of the event up to which it is shared; absent: the last.',
  })
  readonly at?: number | string;

  @MayBeOmitted()
  @IsFilledText(LENGTHS.name)
  @Describe({ description: "Absent: as the parent's." })
  readonly title?: string;
}

/** `DELETE /sessions/{session}` */
export class EraseQuery extends QueryStringDto {
  @FromText((text) => (text === 'true' ? true : text === 'false' ? false : text))
  @IsBoolean({ message: '$property must be true or false' })
  @Describe({ description: 'true: its forks, and theirs, are erased before it.' })
  readonly forks: boolean = false;
}
