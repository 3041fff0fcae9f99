import type { FieldError } from '#domain';
import type { EgressGuard } from '#platform';
import { type RunBody, invalidFields } from '../dto/run-body.js';

/** Refuses, at once, URLs of a request that may not be reached. Each connection is checked again when it is made. */
export class RequestEgress {
  constructor(private readonly guard: EgressGuard) {}

  /** @throws Problem invalid_request naming the fields. A name that cannot be resolved now is no reason. */
  async requireAllowed(body: RunBody): Promise<void> {
    const urls = body.mcp_servers.map(({ serverUrl }, i) => ({
      path: `mcp_servers[${i}].serverUrl`,
      url: serverUrl,
    }));
    if (urls.length === 0) return;
    const errors = await Promise.all(urls.map(({ path, url }) => this.errorOf(path, url)));
    const found = errors.filter((error) => error !== null);
    if (found.length > 0) throw invalidFields(found);
  }

  private async errorOf(path: string, url: string): Promise<FieldError | null> {
    const verdict = await this.guard.checkUrl(url);
    return verdict.kind === 'refused' ? { path, message: `may not be reached: ${verdict.reason}` } : null;
  }
}
