import { spawn } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

/** The blocks of a page that are marked to be run (```sh run), in its order. */
export const commandsOf = (page: string): readonly string[] =>
  Array.from(readFileSync(page, 'utf8').matchAll(/^```sh run\n([^]*?)^```$/gm), ([, block = '']) => block);

/**
 * A text in which what listens at ports of this machine does so at others. All at once: a port that is put in may begin
 * with one that is looked for (40001 with 4000).
 */
export const withPorts = (text: string, ports: Readonly<Record<number, number>>): string =>
  text.replaceAll(/(?<=localhost:|127\.0\.0\.1:|PORT=)\d+/g, (port) => String(ports[Number(port)] ?? port));

/** Makes of an empty folder what looks like a checkout to commands: npm finds the scripts, which find the program. */
export function likeCheckout(folder: string): void {
  for (const name of ['package.json', '.ci', 'dist', 'node_modules', 'apps', 'libs', 'docs'])
    symlinkSync(resolve(name), join(folder, name));
}

/**
 * What commands of the documents print, one shell for all of them, which ends with the first that fails.
 * @throws Error with what they said where one fails
 */
export async function shell(
  folder: string,
  commands: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  // Job control, as in a terminal: `kill %1`. What is left behind ends with the shell.
  const script = ['set -eumo pipefail', "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT", ...commands];
  const child = spawn('bash', ['-c', script.join('\n')], {
    cwd: folder,
    env: { PATH: `${resolve('node_modules/.bin')}:${process.env['PATH']}`, HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await ended;
  if (code !== 0) throw new Error(`ended with ${code}: ${errors}\n${out}`);
  return out;
}
