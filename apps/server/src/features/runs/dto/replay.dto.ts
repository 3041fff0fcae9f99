import { IsBoolean, IsIn } from 'class-validator';
import { Describe, IsName, IsText, MayBeOmitted } from '../../../edge/validation/decorators.js';
import { LENGTHS } from '../../../edge/validation/lengths.js';
import { RuleList } from '../shared/agent-fields.js';

/** The body of `POST /runs/{id}/replay`. */
export class ReplayDto {
  @MayBeOmitted()
  @IsIn(['flash', 'base', 'max', 'fast'])
  @Describe({ description: "Absent: the run's own, and its model." })
  readonly mode?: 'flash' | 'base' | 'max' | 'fast';

  @MayBeOmitted()
  @IsName()
  @Describe({ description: "Absent: the mode's, or, where none is given, the run's own." })
  readonly model?: string;

  @MayBeOmitted()
  @IsText(LENGTHS.message)
  @Describe({ description: "In place of the run's own." })
  readonly system?: string;

  @RuleList()
  @Describe({ description: "In place of the run's own." })
  readonly rules?: readonly string[];

  @IsIn(['recorded', 'none'])
  @Describe({ description: '`recorded`: what it was offered then, with the results that were recorded.' })
  readonly tools: 'recorded' | 'none' = 'recorded';

  @IsBoolean()
  @Describe({ description: 'Answer 202 at once and run on the server.' })
  readonly background: boolean = false;
}
