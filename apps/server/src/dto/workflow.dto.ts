import { Optional, OptionalObject, Required, RequiredList } from './fields.js';
import { filledText, flag, listOf, object, oneOf, text, wholeNumber } from './rules.js';

const MAX_STEPS = 200;

export class RetryPolicyDto {
  @Required(wholeNumber(1)) readonly max_attempts!: number;
  @Required(oneOf('none', 'fixed', 'linear', 'exponential'))
  readonly backoff!: 'none' | 'fixed' | 'linear' | 'exponential';
  @Optional(wholeNumber(0)) readonly initial_delay_ms?: number;
}

export class StepDto {
  @Required(filledText) readonly id!: string;
  @Required(filledText) readonly name!: string;
  @Required(text) readonly description!: string;
  @Required(listOf(filledText, MAX_STEPS)) readonly depends_on!: readonly string[];
  @Optional(flag) readonly optional?: boolean;
  @OptionalObject(RetryPolicyDto) readonly retry_policy?: RetryPolicyDto;
  @Optional(object) readonly output_schema?: object;
}

export class WorkflowDto {
  @Required(filledText) readonly id!: string;
  @Required(filledText) readonly name!: string;
  @Required(text) readonly description!: string;
  @RequiredList(StepDto, MAX_STEPS) readonly steps!: readonly StepDto[];
}
