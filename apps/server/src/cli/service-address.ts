import { type Settings, localUrl } from '#platform';

/** A service on this machine answers at once, and one elsewhere soon. */
const PATIENCE_MS = 3_000;

/** Where the service is that commands speak to: `ANNALS_URL`, otherwise what the settings say. Without a slash at the end. */
export function serviceUrl(
  settings: Pick<Settings, 'host' | 'port'>,
  env: NodeJS.ProcessEnv,
): { readonly url: string; readonly isNamed: boolean } {
  const named = env['ANNALS_URL']?.trim();
  if (named) return { url: named.replace(/(?<!\/)\/+$/, ''), isNamed: true };
  return { url: localUrl(settings), isNamed: false };
}

/** Whether a service of ours answers there: something else may have the port. */
export async function isServiceAt(url: string): Promise<boolean> {
  const answer = await ask(`${url}/healthz`);
  return answer?.status === 200 && /"status":\s*"ok"/.test(answer.text);
}

export interface Asked {
  readonly status: number;
  readonly text: string;
  /** The `Date` of the answer, ms since 1970; null: it has none. */
  readonly date: number | null;
}

/** One GET; null: nobody answers. */
export async function ask(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Asked | null> {
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE_MS) });
    const date = Date.parse(answer.headers.get('date') ?? '');
    return {
      status: answer.status,
      text: await answer.text(),
      date: Number.isNaN(date) ? null : date,
    };
  } catch {
    return null;
  }
}
