import { IsObject, Matches } from 'class-validator';
import { Describe, IsFilledText, IsText } from '../../../edge/validation/decorators.js';
import { LENGTHS } from '../../../edge/validation/lengths.js';

/** Of the name of a function, in Chat Completions. */
const MAX_NAME = 64;

/** A tool that the caller carries out. */
export class CallerToolDto {
  @IsFilledText(MAX_NAME)
  @Matches(/^[a-zA-Z0-9_-]+$/, { message: '$property must be made of a-z, A-Z, 0-9, _ and -' })
  readonly name!: string;

  @IsText(LENGTHS.description)
  readonly description!: string;

  @IsObject()
  @Describe({ description: 'JSON schema of the arguments, which are an object.' })
  readonly parameters!: object;
}
