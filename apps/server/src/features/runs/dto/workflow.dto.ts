import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsInt, IsObject, Max, Min } from 'class-validator';
import { IsName, IsText, MayBeOmitted, Nested } from '../../../edge/validation/decorators.js';
import { LENGTHS } from '../../../edge/validation/lengths.js';

const MAX_STEPS = 200;

export class RetryPolicyDto {
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  readonly max_attempts!: number;

  @IsIn(['none', 'fixed', 'linear', 'exponential'])
  readonly backoff!: 'none' | 'fixed' | 'linear' | 'exponential';

  @MayBeOmitted()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  readonly initial_delay_ms?: number;
}

export class StepDto {
  @IsName()
  readonly id!: string;

  @IsName()
  readonly name!: string;

  @IsText(LENGTHS.description)
  readonly description!: string;

  @IsArray()
  @ArrayMaxSize(MAX_STEPS)
  @IsName({ each: true })
  readonly depends_on!: readonly string[];

  @MayBeOmitted()
  @IsBoolean()
  readonly optional?: boolean;

  @MayBeOmitted()
  @Nested(RetryPolicyDto)
  readonly retry_policy?: RetryPolicyDto;

  @MayBeOmitted()
  @IsObject()
  readonly output_schema?: object;
}

export class WorkflowDto {
  @IsName()
  readonly id!: string;

  @IsName()
  readonly name!: string;

  @IsText(LENGTHS.description)
  readonly description!: string;

  @IsArray()
  @ArrayMaxSize(MAX_STEPS)
  @Nested(StepDto)
  readonly steps!: readonly StepDto[];
}
