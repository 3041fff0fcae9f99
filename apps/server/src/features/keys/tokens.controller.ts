import { Body, Controller, HttpCode, Post, Query } from '@nestjs/common';
import { ApiKeys, type Principal } from '#access';
import { requireSession } from '#domain';
import { Sessions } from '#runs';
import { Caller } from '../../edge/admission/caller.js';
import { NeedsScope } from '../../edge/admission/needs-scope.js';
import { noQuery } from '../../edge/validation/queries.js';
import { parseNewToken } from './token.dto.js';

/** Short-lived keys that a server gives to its own browsers. */
@Controller('tokens')
export class TokensController {
  constructor(
    private readonly keys: ApiKeys,
    private readonly sessions: Sessions,
  ) {}

  @Post()
  @HttpCode(201)
  @NeedsScope('run', { orScope: 'read', takesBody: true })
  async issue(@Caller() caller: Principal, @Body() body: unknown, @Query() query: unknown): Promise<object> {
    noQuery(query);
    const { session = null, scopes, expires_s } = parseNewToken(body);
    const { token, expiresAt } = this.keys.issueToken(caller, { session, scopes, lifeMs: expires_s * 1000 });
    if (session !== null) requireSession((await this.sessions.get(session)).journal.state, caller.project);
    return { token, expires_at: new Date(expiresAt).toISOString() };
  }
}
