import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Settings } from '#platform';

export type ConsoleCookieSettings = Partial<Pick<Settings, 'console' | 'statedPublicUrl'>>;

/**
 * The cookie of a browser that is signed in to the console (RFC 6265bis): of this origin alone, for no script. Cookies do not
 * know ports, so its name does: two services on one host must not sign each other out.
 */
export class ConsoleCookie {
  private readonly isOff: boolean;
  private readonly stated: URL | null;

  constructor({ console: isOn = true, statedPublicUrl = null }: ConsoleCookieSettings) {
    this.isOff = !isOn;
    this.stated = statedPublicUrl === null ? null : new URL(statedPublicUrl);
  }

  /** What a request brought; null: nothing that counts. */
  of(request: FastifyRequest): string | null {
    const { cookie } = request.headers;
    if (cookie === undefined || this.isOff) return null;
    const start = `${this.nameFor(request)}=`;
    const pair = cookie
      .split(';')
      .map((text) => text.trim())
      .find((text) => text.startsWith(start));
    return pair?.slice(start.length) ?? null;
  }

  /** @param lifeMs 0: it goes */
  set(reply: FastifyReply, value: string, lifeMs: number): void {
    const secure = this.isSecure ? '; Secure' : '';
    const age = Math.floor(lifeMs / 1000);
    const name = this.nameFor(reply.request);
    reply.header(
      'set-cookie',
      `${name}=${value}; Max-Age=${age}; Path=/; HttpOnly; SameSite=Strict${secure}`,
    );
  }

  private nameFor({ socket }: FastifyRequest): string {
    const port = this.stated === null ? String(socket.localPort ?? '') : this.stated.port;
    return `${this.isSecure ? '__Host-' : ''}annals_console${port === '' ? '' : `_${port}`}`;
  }

  private get isSecure(): boolean {
    return this.stated?.protocol === 'https:';
  }
}
