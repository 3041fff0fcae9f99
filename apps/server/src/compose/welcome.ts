import type { Settings } from '#platform';
import type { ApiKeys } from '#access';

interface Welcoming {
  readonly apiKeys: ApiKeys;
  /** Whether it takes requests, besides those that ask how it is. */
  readonly hasApi: boolean;
}

/**
 * What a person is told when the service listens: where the interface is described, a command that works as it stands, and
 * at the very first start the first admin key, which is made here. On standard error and nowhere else: a log line may be
 * kept. Where nobody looks (no terminal) and no key is made, nothing is said.
 * @throws LogUnavailable
 */
export async function welcome(
  { apiKeys, hasApi }: Welcoming,
  settings: Pick<Settings, 'adminKey' | 'openai' | 'console' | 'statedPublicUrl'>,
  address: string,
): Promise<void> {
  const isModelBuiltIn = settings.openai === null;
  const say = (key: string, intro = ''): void =>
    void process.stderr.write(welcomeText({ url: clientUrl(address), key, intro, isModelBuiltIn }));
  const base = settings.statedPublicUrl ?? clientUrl(address);
  const isNew = await apiKeys.makeFirst(({ key, link }) => {
    const way = settings.console ? `${base}/console/welcome#${link.token}` : null;
    say(key, introOf(key, way));
  });
  if (isNew || !hasApi || !process.stderr.isTTY) return;
  // A key that was set is a secret that its owner has, and one of an earlier start is known by its hash alone.
  say(settings.adminKey === null ? '$ANNALS_KEY' : '$ANNALS_ADMIN_KEY');
}

/** @param way to the console, once; null: there is none */
function introOf(key: string, way: string | null): string {
  const link = way === null ? '' : `Open the console (this link works once, within a day):\n\n  ${way}\n\n`;
  return `${link}The first admin key, shown this once:\n\n  ${key}\n\n`;
}

interface Welcome {
  readonly url: string;
  readonly key: string;
  readonly intro: string;
  readonly isModelBuiltIn: boolean;
}

/** Blank lines around it set it off from log lines. */
export const welcomeText = ({ url, key, intro, isModelBuiltIn }: Welcome): string => `
${intro}Try it:

  curl -N ${url}/ -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' \\
    -d '{"message": "What is 6 x 7?", "streaming_tokens": true}'

${isModelBuiltIn ? 'The built-in demo model answers; OPENAI_BASE_URL and OPENAI_API_KEY bring a real one.\n' : ''}The interface: ${url}/docs

`;

/** Where a client on this machine finds the service: what listens everywhere is no address to go to. */
export function clientUrl(address: string): string {
  const url = new URL(address);
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = 'localhost';
  return url.origin;
}
