import { IsIn, IsInt, Max, Min } from 'class-validator';
import type { ApprovalRule } from '#domain';
import { Describe, MayBeOmitted, Satisfies } from '../../../edge/validation/decorators.js';
import { LENGTHS } from '../../../edge/validation/lengths.js';
import { described, isObject } from '../../../edge/validation/rules.js';
import { fileKeyFault } from './file-keys.js';

const RULES: readonly ApprovalRule[] = ['allow', 'ask', 'deny'];
const MAX_PATTERNS = 200;
/** 30 days */
const MAX_EXPIRES_S = 2_592_000;

const SCHEMA = {
  type: 'object',
  maxProperties: MAX_PATTERNS,
  propertyNames: { minLength: 1, maxLength: LENGTHS.name },
  additionalProperties: { enum: RULES },
};

const rulesByPattern = described(SCHEMA, (value) => {
  if (!isObject(value)) return { message: 'must be an object' };
  const rules = Object.entries(value);
  if (rules.length > MAX_PATTERNS) return { message: `must have at most ${MAX_PATTERNS} patterns` };
  for (const [pattern, rule] of rules) {
    const at = `.${pattern.slice(0, 100)}`;
    if (pattern === '' || pattern.length > LENGTHS.name)
      return { at, message: `must be the rule of a pattern of 1 to ${LENGTHS.name} characters` };
    if (!RULES.includes(rule as ApprovalRule)) return { at, message: `must be one of ${RULES.join(', ')}` };
  }
  return fileKeyFault(value);
});

/** Which calls of the run wait for a person. */
export class ApprovalsDto {
  @MayBeOmitted()
  @IsIn(RULES)
  @Describe({ description: 'Of tools that no pattern fits.', default: 'allow' })
  readonly default?: ApprovalRule;

  @MayBeOmitted()
  @Satisfies('areRulesByPattern', rulesByPattern)
  @Describe({
    description:
      'By name of the tool, in which `*` stands for any characters. An exact one wins, then the longest, among equals the strictest.',
    examples: [{ 'refund_*': 'ask', delete_account: 'deny' }],
  })
  readonly tools?: Readonly<Record<string, ApprovalRule>>;

  @MayBeOmitted()
  @IsIn(['anyone', 'another_key'])
  @Describe({
    description: 'Who may release a call: any key, or none that started or steered the run.',
    default: 'anyone',
  })
  readonly by?: 'anyone' | 'another_key';

  @MayBeOmitted()
  @IsInt()
  @Min(1)
  @Max(MAX_EXPIRES_S)
  @Describe({ description: 'Seconds, for every action of the run.', default: 86_400 })
  readonly expires_s?: number;
}
