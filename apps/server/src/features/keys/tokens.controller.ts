import { Body, Controller, Post } from '@nestjs/common';
import { ApiKeys, type Principal } from '#access';
import { Sessions } from '#runs';
import { Caller } from '../../edge/admission/caller.js';
import { Operation, answer } from '../../edge/routes/operation.js';
import { TOKEN } from './key-schemas.js';
import { NewTokenDto } from './token.dto.js';

/** Short-lived keys that a server gives to its own browsers. */
@Controller('tokens')
export class TokensController {
  constructor(
    private readonly keys: ApiKeys,
    private readonly sessions: Sessions,
  ) {}

  @Post()
  @Operation({
    id: 'createToken',
    tag: 'keys',
    summary: 'A short-lived key for a browser, shown once',
    description:
      'It starts and reads the runs of one session, or of those that are opened with it, and does nothing else. Event ' +
      'streams take it as `?token=`, too. It ends with the key that made it.',
    scope: 'run',
    orScope: 'read',
    body: NewTokenDto,
    examples: {
      page: { summary: 'For a page that chats', value: { scopes: ['run', 'read'], expires_s: 900 } },
    },
    answers: answer(201, TOKEN),
    refusals: [404],
  })
  async issue(@Caller() caller: Principal, @Body() body: NewTokenDto): Promise<object> {
    const { session = null, scopes, expires_s } = body;
    const { token, expiresAt } = this.keys.issueToken(caller, { session, scopes, lifeMs: expires_s * 1000 });
    if (session !== null) await this.sessions.require(caller.project, session);
    return { token, expires_at: new Date(expiresAt).toISOString() };
  }
}
