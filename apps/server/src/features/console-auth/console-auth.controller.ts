import { Body, Controller, Delete, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiKeys, type BrowserCaller, type KeyRecord, type NewSignIn } from '#access';
import { Problem } from '#domain';
import { CSRF_HEADER, says } from '../../edge/admission/admission.js';
import { ConsoleCookie } from '../../edge/admission/console-cookie.js';
import { Operation, answer } from '../../edge/routes/operation.js';
import { Clock } from '#platform';
import { ConsoleTerms } from './console-terms.js';
import { CONSOLE_AUTH, SIGNED_IN } from './sign-in-schemas.js';
import { SignInDto, wayIn } from './sign-in.dto.js';

const FIRST_PAGE = '/console';

/** Who is in the console, and how somebody comes in and leaves: as a key, which the page does not keep. */
@Controller('console/auth')
export class ConsoleAuthController {
  constructor(
    private readonly keys: ApiKeys,
    private readonly cookie: ConsoleCookie,
    private readonly terms: ConsoleTerms,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Operation({
    id: 'getConsoleAuth',
    tag: 'keys',
    summary: 'As which key this browser is signed in to the console',
    scope: null,
    answers: answer(200, CONSOLE_AUTH),
    refusals: [403],
  })
  who(@Req() request: FastifyRequest): object {
    requireOwnPage(request);
    return this.view(this.callerOf(request));
  }

  @Post()
  @Operation({
    id: 'signInToConsole',
    tag: 'keys',
    summary: 'Signs a browser in to the console, with a key or by a link, once',
    description:
      'Sets a cookie that counts as the key for 24 hours, or until the key or the sign-in ends: for GET from a page of this ' +
      'origin, and with the header `annals-csrf`.',
    scope: null,
    body: SignInDto,
    answers: answer(200, SIGNED_IN),
    refusals: [401, 403, 429],
  })
  async signIn(
    @Req() request: FastifyRequest,
    @Body() body: SignInDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    requireOwnPage(request);
    const way = wayIn(body);
    const made =
      'key' in way ? await this.withKey(request, way.key) : await this.keys.signIns.redeem(way.link);
    if (made === null) throw refusalOf(request, 'key' in way ? NO_KEY : OLD_LINK);
    const caller = this.keys.ofBrowser(made.cookie);
    // The key was revoked meanwhile.
    if (caller === null) throw NO_KEY;
    this.cookie.set(reply, made.cookie, caller.until - this.clock.now());
    return { ...this.view(caller), to: made.to ?? FIRST_PAGE };
  }

  @Delete()
  @Operation({
    id: 'signOutOfConsole',
    tag: 'keys',
    summary: 'Signs this browser out: its open streams end',
    scope: null,
    answers: { 204: null },
    refusals: [401, 403],
  })
  async signOut(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    requireOwnPage(request);
    const caller = this.callerOf(request);
    if (caller !== null) {
      if (!says(request.headers[CSRF_HEADER], caller.csrf)) throw NOT_SAID;
      await this.keys.signIns.signOut(caller.key, caller.signIn);
    }
    this.cookie.set(reply, '', 0);
  }

  /** Each is an append to the log, so that it is a request of the key as any other. */
  private async withKey(request: FastifyRequest, presented: string): Promise<NewSignIn | null> {
    const record = this.keys.recordOf(presented);
    if (record === null) return null;
    const refusal = request.refuseHasty?.(record.id) ?? null;
    if (refusal !== null) throw refusal;
    return this.keys.signIns.signIn(record);
  }

  private callerOf(request: FastifyRequest): BrowserCaller | null {
    const cookie = this.cookie.of(request);
    return cookie === null ? null : this.keys.ofBrowser(cookie);
  }

  private view(caller: BrowserCaller | null): object {
    const { version, demoModel } = this.terms;
    return {
      key: caller === null ? null : keyOf(caller.key),
      csrf: caller?.csrf ?? null,
      expires_at: caller === null ? null : new Date(caller.until).toISOString(),
      version,
      demo_model: demoModel,
    };
  }
}

const keyOf = ({ id, name, scopes, project }: KeyRecord): object => ({ id, name, scopes, project });

/** A browser says whose page a request comes from; programs say nothing. */
function requireOwnPage({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin')
    throw new Problem('forbidden', 'Sec-Fetch-Site: must be same-origin');
}

/** Guessing must not be cheap. */
function refusalOf(request: FastifyRequest, refusal: Problem): Problem {
  const counted = request.refuseStranger?.();
  return counted?.code === 'rate_limited' ? counted : refusal;
}

const NO_KEY = new Problem('unauthenticated', 'this is no valid API key');
const OLD_LINK = new Problem('unauthenticated', 'this link was used, or is over: ask for another one');
const NOT_SAID = new Problem('unauthenticated', `${CSRF_HEADER}: must be what the sign-in was given`);
