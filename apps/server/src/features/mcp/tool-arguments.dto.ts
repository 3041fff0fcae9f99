import { IsIn, IsInt, Max, Min } from 'class-validator';
import type { RunId, SessionId } from '#domain';
import {
  Describe,
  IsFilledText,
  IsName,
  IsText,
  MayBeOmitted,
  all,
} from '../../edge/validation/decorators.js';
import { LENGTHS } from '../../edge/validation/lengths.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../edge/validation/query-dtos.js';
import { RuleList } from '../runs/shared/agent-fields.js';

/** Most programs that call tools give up after 60 s. */
const DEFAULT_WAIT_S = 45;
const MAX_WAIT_S = 600;
const A_WAIT = { message: `must be a whole number of seconds from 0 to ${MAX_WAIT_S}` };
const A_LIMIT = { message: `must be a whole number from 1 to ${MAX_LIMIT}` };

const IsWait = (): PropertyDecorator => all(IsInt(A_WAIT), Min(0, A_WAIT), Max(MAX_WAIT_S, A_WAIT));
const IsLimit = (): PropertyDecorator => all(IsInt(A_LIMIT), Min(1, A_LIMIT), Max(MAX_LIMIT, A_LIMIT));
const IsCursor = (): PropertyDecorator => IsFilledText(LENGTHS.cursor);

/** `run_agent` */
export class RunAgentDto {
  @IsFilledText(LENGTHS.message)
  @Describe({ description: 'The task, in words.' })
  readonly message!: string;

  @MayBeOmitted()
  @IsName()
  @Describe({ description: 'Goes on with this session; left out, a new one begins.' })
  readonly session?: SessionId;

  @IsIn(['flash', 'base', 'max'])
  @Describe({ type: 'string', description: 'flash: simple tasks; base: balanced; max: complex reasoning.' })
  readonly mode: 'flash' | 'base' | 'max' = 'base';

  @MayBeOmitted()
  @IsText(LENGTHS.message)
  @Describe({ description: "A system prompt in place of the service's own." })
  readonly system?: string;

  @RuleList()
  @Describe({ description: 'Constraints that the agent obeys in every turn.' })
  readonly rules?: readonly string[];

  @IsWait()
  @Describe({ description: 'Seconds to wait for the result; the run goes on behind them.' })
  readonly wait_s: number = DEFAULT_WAIT_S;
}

/** `read_run` */
export class ReadRunDto {
  @IsName()
  @Describe({ description: 'As run_agent gave it.' })
  readonly run_id!: RunId;

  @IsWait()
  @Describe({ description: 'Seconds to wait for the end of a run that is under way.' })
  readonly wait_s: number = 0;
}

/** `read_session` */
export class ReadSessionDto {
  @IsName()
  @Describe({ description: 'As run_agent or list_sessions gave it.' })
  readonly session!: SessionId;

  @IsLimit()
  readonly limit: number = DEFAULT_LIMIT;

  @MayBeOmitted()
  @IsCursor()
  @Describe({ description: 'The next_cursor of the page before.' })
  readonly cursor?: string;
}

/** `list_sessions` */
export class ListSessionsDto {
  @IsLimit()
  readonly limit: number = DEFAULT_LIMIT;

  @MayBeOmitted()
  @IsCursor()
  @Describe({ description: 'The next_cursor of the page before.' })
  readonly cursor?: string;
}
