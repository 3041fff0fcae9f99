import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiKeys, type KeyRecord, type Principal } from '#runs';
import { parseNewApiKey } from '../dto/api-key.dto.js';
import { noQuery, pageQuery } from '../dto/queries.js';
import { Caller } from './caller.js';
import { NeedsScope } from './needs-scope.js';

@Controller('api-keys')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeys) {}

  @Post()
  @HttpCode(201)
  @NeedsScope('admin', { takesBody: true })
  async issue(@Caller() caller: Principal, @Body() body: unknown, @Query() query: unknown): Promise<object> {
    noQuery(query);
    const { record, key, webhookSecret } = await this.keys.issue(caller, parseNewApiKey(body));
    const { id, ...described } = describe(record);
    return { id, key, webhook_secret: webhookSecret, ...described };
  }

  @Get()
  @NeedsScope('admin')
  list(@Caller() caller: Principal, @Query() query: unknown): object {
    const { limit, cursor } = pageQuery(query);
    const { items, next } = this.keys.list(caller, limit, cursor);
    return { items: items.map(describe), next_cursor: next };
  }

  @Delete(':id')
  @HttpCode(204)
  @NeedsScope('admin')
  async revoke(@Caller() caller: Principal, @Param('id') id: string, @Query() query: unknown): Promise<void> {
    noQuery(query);
    await this.keys.revoke(caller, id);
  }
}

/** What of a key may be seen again: neither it nor its hash. */
const describe = ({ id, name, scopes, project, createdAt }: KeyRecord) => ({
  id,
  name,
  scopes,
  project,
  created_at: new Date(createdAt).toISOString(),
});
