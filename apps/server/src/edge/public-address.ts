import type { IncomingHttpHeaders } from 'node:http';

/** Where clients reach the service: `PUBLIC_URL`, or what each of them called it. */
export class PublicAddress {
  /** @param stated an http or https URL without a slash at its end; null: nobody has said one */
  constructor(private readonly stated: string | null) {}

  /** As this client can reach it, without a slash at its end. A Host that is none is not repeated. */
  of({ host = '' }: IncomingHttpHeaders): string {
    if (this.stated !== null) return this.stated;
    const url = `http://${host}`;
    return URL.canParse(url) ? new URL(url).origin : 'http://localhost';
  }
}
