import { IsObject } from 'class-validator';
import { Describe, IsText, Satisfies } from '../../../edge/validation/decorators.js';
import { LENGTHS } from '../../../edge/validation/lengths.js';
import { described } from '../../../edge/validation/rules.js';

/** What Chat Completions takes in the name of a function. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

const toolName = described({ type: 'string', maxLength: 64, pattern: NAME.source }, (value) =>
  typeof value === 'string' && NAME.test(value)
    ? null
    : { message: 'must have 1 to 64 characters out of a-z, A-Z, 0-9, _ and -' },
);

/** A tool that the caller carries out. */
export class CallerToolDto {
  @Satisfies('isToolName', toolName)
  readonly name!: string;

  @IsText(LENGTHS.description)
  readonly description!: string;

  @IsObject()
  @Describe({ description: 'JSON schema of the arguments, which are an object.' })
  readonly parameters!: object;
}
