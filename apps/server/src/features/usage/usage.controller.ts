import { Controller, Get, Query } from '@nestjs/common';
import type { Principal } from '#access';
import { USAGE_GROUPS, UsageQueries } from '#read-models';
import { Caller } from '../../edge/admission/caller.js';
import { COUNT, DOLLARS, TEXT, named, objectOf, orNull, pageOf } from '../../edge/openapi/json-schema.js';
import { Operation, answer } from '../../edge/routes/operation.js';
import { USAGE_FIELDS, USAGE_PARTS } from '../runs/shared/run-schemas.js';
import { UsageQueryDto } from './usage-query.js';

const USAGE_GROUP = named('UsageGroup', {
  ...objectOf(
    { runs: COUNT, ...USAGE_FIELDS, cost: DOLLARS },
    {
      ...USAGE_PARTS,
      ...Object.fromEntries(USAGE_GROUPS.map((group) => [group, orNull(TEXT)])),
    },
  ),
  // `metadata.KEY`
  additionalProperties: orNull(TEXT),
});

/** What was spent. */
@Controller('usage')
export class UsageController {
  constructor(private readonly usage: UsageQueries) {}

  @Get()
  @Operation({
    id: 'getUsage',
    tag: 'money',
    summary: 'What model calls used and cost, summed up by groups',
    description:
      'Calls from `from` until before `to`. An item has the value of each group, by the name in `group_by`; null where a run ' +
      'has none. Erasure leaves the sums. The first admin key is shown all projects, any other key its own. Without `limit` ' +
      'all groups come at once. More than 10,000 are refused (422), with one, too.',
    scope: 'read',
    query: UsageQueryDto,
    answers: answer(200, pageOf(USAGE_GROUP)),
    refusals: [422],
  })
  async sums(
    @Query() { group_by: groups = [], ...query }: UsageQueryDto,
    @Caller() { project, isRoot }: Principal,
  ) {
    return this.usage.page({ project: isRoot ? undefined : project, groups, ...query });
  }
}
