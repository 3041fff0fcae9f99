import { Body, Controller, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiKeys, LINK_MS, type Principal } from '#access';
import { Caller } from '../../edge/admission/caller.js';
import { PublicAddress } from '../../edge/public-address.js';
import { Operation, answer } from '../../edge/routes/operation.js';
import { SIGN_IN_LINK } from './sign-in-schemas.js';
import { SignInLinkDto } from './sign-in.dto.js';

/** How somebody comes into the console without handling a key. */
@Controller('api-keys/:id/sign-in-links')
export class SignInLinksController {
  constructor(
    private readonly keys: ApiKeys,
    private readonly address: PublicAddress,
  ) {}

  @Post()
  @Operation({
    id: 'createSignInLink',
    tag: 'keys',
    summary: 'A link by which somebody comes into the console as this key, once',
    description:
      'Of the first admin key only with that key itself, of keys with the scope `metrics` only by one that has it.',
    scope: 'admin',
    body: SignInLinkDto,
    examples: { approver: { summary: 'To one page, for a day', value: { to: '/console/approvals' } } },
    answers: answer(201, SIGN_IN_LINK),
    refusals: [404],
  })
  async make(
    @Param('id') id: string,
    @Caller() caller: Principal,
    @Body() { to = '/console', expires_s }: SignInLinkDto,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const lifeMs = expires_s === undefined ? LINK_MS : expires_s * 1000;
    const { token, expiresAt } = await this.keys.makeSignInLink(caller, id, { to, lifeMs });
    const url = `${this.address.of(request.headers)}/console/welcome#${token}`;
    return { url, expires_at: new Date(expiresAt).toISOString() };
  }
}
