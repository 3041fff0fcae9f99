import { Describe, Satisfies } from '../../../edge/validation/decorators.js';
import { QueryStringDto } from '../../../edge/validation/validate.js';
import { MAX_DISCLOSED, readDisclosure } from './disclosure.js';

const WHAT = { message: 'must be all, none, or revisions and ranges as 0,3-5' };

/** `GET /sessions/{session}/export` */
export class ExportQuery extends QueryStringDto {
  /** Which texts are in it. */
  @Satisfies('isDisclosure', (value) => (readDisclosure(String(value)) === null ? WHAT : null))
  @Describe({ type: 'string', maxLength: MAX_DISCLOSED, default: 'all', examples: ['all', 'none', '0,3-5'] })
  readonly disclose: string = 'all';
}
