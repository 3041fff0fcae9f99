import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import type { Principal } from '#access';
import { AllDeliveries } from '#delivery';
import { Caller } from '../../edge/admission/caller.js';
import { COUNT, objectOf, pageOf } from '../../edge/openapi/json-schema.js';
import { Operation, answer } from '../../edge/routes/operation.js';
import { DeliveriesQuery, ResendDto, periodOf } from './deliveries-query.js';
import { LISTED_DELIVERY } from './delivery-schemas.js';

/** What became of the callbacks of all runs. */
@Controller('deliveries')
export class AllDeliveriesController {
  constructor(private readonly deliveries: AllDeliveries) {}

  @Get()
  @Operation({
    id: 'listAllDeliveries',
    tag: 'runs',
    summary: 'What became of the callbacks of all runs',
    description:
      'Newest runs first, of each the newest event first. `from` and `to` are times of the events. A page may have fewer ' +
      'items than asked for and a `next_cursor` all the same.',
    scope: 'read',
    query: DeliveriesQuery,
    answers: answer(200, pageOf(LISTED_DELIVERY)),
  })
  list(@Query() { limit, cursor, ...wanted }: DeliveriesQuery, @Caller() { project }: Principal) {
    return this.deliveries.list({ ...wanted, project }, limit, cursor);
  }

  @Post('resend')
  @Operation({
    id: 'resendDeliveries',
    tag: 'runs',
    summary: 'Sends all again that were given up, or not sent after one that was',
    description: 'At most 10,000 at a time: `resent` says how many; the same again takes the next ones.',
    scope: 'run',
    body: ResendDto,
    examples: {
      today: { summary: 'What failed since a time', value: { status: 'failed', from: '2026-01-31' } },
    },
    answers: answer(202, objectOf({ resent: COUNT })),
  })
  async resend(@Body() body: ResendDto, @Caller() { project, keyId }: Principal): Promise<object> {
    const { status } = body;
    return { resent: await this.deliveries.resend({ project, status, ...periodOf(body) }, keyId) };
  }
}
