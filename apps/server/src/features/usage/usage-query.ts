import { MAX_USAGE_CURSOR, METADATA_GROUP, USAGE_GROUPS } from '#read-models';
import {
  Describe,
  FromText,
  IsNameParameter,
  MayBeOmitted,
  Satisfies,
} from '../../edge/validation/decorators.js';
import { LENGTHS, isAtMost } from '../../edge/validation/lengths.js';
import { IsLimit, IsTimeParameter } from '../../edge/validation/query-dtos.js';
import type { Rule } from '../../edge/validation/rules.js';
import { QueryStringDto } from '../../edge/validation/validate.js';

const MAX_GROUPS = 10;

const isGroup = (group: string): boolean =>
  group.startsWith(METADATA_GROUP)
    ? group.length > METADATA_GROUP.length &&
      isAtMost(LENGTHS.metadataKey, group.slice(METADATA_GROUP.length))
    : (USAGE_GROUPS as readonly string[]).includes(group);

const usageGroups: Rule = (value) => {
  const groups = value as readonly string[];
  if (groups.length > MAX_GROUPS) return { message: `must name at most ${MAX_GROUPS} groups` };
  if (new Set(groups).size < groups.length) return { message: 'names a group twice' };
  return groups.every(isGroup)
    ? null
    : { message: `must be some of ${USAGE_GROUPS.join(', ')} and metadata.KEY, with commas between them` };
};

/** `GET /usage` */
export class UsageQueryDto extends QueryStringDto {
  @MayBeOmitted()
  @IsTimeParameter()
  readonly from?: number;

  @MayBeOmitted()
  @IsTimeParameter()
  readonly to?: number;

  @MayBeOmitted()
  @FromText((text) => text.slice(0, 2_000).split(','))
  @Satisfies('areUsageGroups', usageGroups)
  @Describe({ type: 'string', maxLength: 2_000, examples: ['project,day', 'model,metadata.customer'] })
  readonly group_by?: readonly string[];

  @MayBeOmitted()
  @IsLimit()
  @Describe({ description: 'Without it all groups come at once.' })
  readonly limit?: number;

  @MayBeOmitted()
  @IsNameParameter(MAX_USAGE_CURSOR)
  readonly cursor?: string;
}
