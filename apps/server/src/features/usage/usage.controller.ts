import { Controller, Get, Query } from '@nestjs/common';
import type { Principal } from '#access';
import { USAGE_GROUPS, UsageQueries } from '#read-models';
import { Caller } from '../../edge/admission/caller.js';
import { COUNT, DOLLARS, TEXT, listOf, named, objectOf, orNull } from '../../edge/openapi/json-schema.js';
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
      'has none. Erasure leaves the sums. The first admin key is shown all projects, any other key its own.',
    scope: 'read',
    query: UsageQueryDto,
    answers: answer(200, objectOf({ items: listOf(USAGE_GROUP) })),
    refusals: [422],
  })
  async sums(
    @Query() { from, to, group_by: groups = [] }: UsageQueryDto,
    @Caller() { project, isRoot }: Principal,
  ) {
    return { items: await this.usage.sums({ project: isRoot ? undefined : project, from, to, groups }) };
  }
}
