import { readFile } from 'node:fs/promises';
import { type Clock, SettingsRefused } from '#platform';
import { type Policy, PolicyRefused, parsePolicy } from '#proof';
import { Witnesses } from '#sealer';

const NOBODY: Policy = { logs: [], witnesses: [], groups: new Map(), quorum: null };
/** As long as a verifier reads it. */
const MAX_POLICY_CHARS = 1024 * 1024;

export interface OpenWitnesses {
  readonly witnesses: Witnesses;
  readonly policy: Policy;
  /** Of the policy's file; null: there is none. */
  readonly text: string | null;
}

/** Who cosigns what a log signs. @param file of a policy; null: nobody. @throws SettingsRefused */
export async function openWitnesses(
  file: string | null,
  origin: string,
  clock: Clock,
): Promise<OpenWitnesses> {
  const { policy, text } = file === null ? { policy: NOBODY, text: null } : await readPolicy(file);
  return { witnesses: new Witnesses({ policy, origin, clock }), policy, text };
}

async function readPolicy(file: string): Promise<{ readonly policy: Policy; readonly text: string }> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const { code = 'it cannot be read' } = error as NodeJS.ErrnoException;
    throw new SettingsRefused(`WITNESSES must be the path of a tlog-policy file: ${code}`, { cause: error });
  });
  try {
    if (text.length > MAX_POLICY_CHARS) throw new PolicyRefused('it is longer than 1 MiB');
    const policy = parsePolicy(text);
    const wrong = policy.witnesses.find(({ url }) => url !== null && !isHttp(url));
    if (wrong !== undefined) throw new PolicyRefused(`the URL of ${wrong.name} is none of http or https`);
    return { policy, text };
  } catch (error) {
    if (!(error instanceof PolicyRefused)) throw error;
    throw new SettingsRefused(`WITNESSES must be the path of a tlog-policy file: ${error.message}`);
  }
}

function isHttp(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, search, hash } = new URL(url);
  return /^https?:$/.test(protocol) && search === '' && hash === '';
}
