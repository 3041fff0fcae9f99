import { sealCallback } from '#delivery';
import type { FieldError, ProjectId } from '#domain';
import type { EgressGuard, SecretBox } from '#platform';
import { invalidFields } from '../../../edge/problems/invalid-fields.js';
import type { RunBody } from '../dto/run-body.js';
import { sentName } from './either.js';

/**
 * Where a request leads. Refuses, at once, URLs that may not be reached; each connection is checked again when it is made.
 */
export class RequestEgress {
  constructor(
    private readonly guard: EgressGuard,
    private readonly box: SecretBox,
  ) {}

  /** The request's callback as the log may hold it. */
  sealedCallback({ callback }: RunBody, project: ProjectId): { readonly callback?: string } {
    if (callback === undefined) return {};
    const { url, headers = {} } = callback;
    return { callback: sealCallback(this.box, project, { url, headers }) };
  }

  /**
   * @param sent the body as it came, whose names of fields are told
   * @throws Problem invalid_request naming the fields. A name that cannot be resolved now is no reason.
   */
  async requireAllowed(
    body: Pick<RunBody, 'mcp_servers' | 'callback'>,
    sent: object,
    project: ProjectId,
  ): Promise<void> {
    const guard = this.guard.of(project);
    const servers = sentName(sent, 'mcp_servers', 'mcpServers');
    const urls = body.mcp_servers.map(({ serverUrl }, i) => ({
      path: `${servers}[${i}].serverUrl`,
      url: serverUrl,
    }));
    if (body.callback !== undefined) urls.push({ path: 'callback.url', url: body.callback.url });
    if (urls.length === 0) return;
    const errors = await Promise.all(urls.map(({ path, url }) => errorOf(guard, path, url)));
    const found = errors.filter((error) => error !== null);
    if (found.length > 0) throw invalidFields(found);
  }
}

async function errorOf(guard: EgressGuard, path: string, url: string): Promise<FieldError | null> {
  const verdict = await guard.checkUrl(url);
  return verdict.kind === 'refused' ? { path, message: `may not be reached: ${verdict.reason}` } : null;
}
