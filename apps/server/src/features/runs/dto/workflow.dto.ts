import { Optional, OptionalObject, Required, RequiredList } from '../../../edge/validation/fields.js';
import {
  descriptionText,
  flag,
  listOf,
  nameText,
  object,
  oneOf,
  wholeNumber,
} from '../../../edge/validation/rules.js';

const MAX_STEPS = 200;

export class RetryPolicyDto {
  @Required(wholeNumber(1)) readonly max_attempts!: number;
  @Required(oneOf('none', 'fixed', 'linear', 'exponential'))
  readonly backoff!: 'none' | 'fixed' | 'linear' | 'exponential';
  @Optional(wholeNumber(0)) readonly initial_delay_ms?: number;
}

export class StepDto {
  @Required(nameText) readonly id!: string;
  @Required(nameText) readonly name!: string;
  @Required(descriptionText) readonly description!: string;
  @Required(listOf(nameText, MAX_STEPS)) readonly depends_on!: readonly string[];
  @Optional(flag) readonly optional?: boolean;
  @OptionalObject(RetryPolicyDto) readonly retry_policy?: RetryPolicyDto;
  @Optional(object) readonly output_schema?: object;
}

export class WorkflowDto {
  @Required(nameText) readonly id!: string;
  @Required(nameText) readonly name!: string;
  @Required(descriptionText) readonly description!: string;
  @RequiredList(StepDto, MAX_STEPS) readonly steps!: readonly StepDto[];
}
