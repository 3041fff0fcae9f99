import { execFileSync } from 'node:child_process';

/** What of the checkout a run was a run of. */
export interface CheckoutState {
  /** Short; `+` behind it: with changes that were not committed. */
  readonly commit: string;
  /** The same as long as apps, libs and the locked packages are the same: later commits may change documents and tests. */
  readonly product: string;
}

const PRODUCT = ['apps', 'libs', 'package-lock.json'];

/** Of the working folder. */
export function checkoutState(): CheckoutState {
  const changes = git('status', '--porcelain', '--', ...PRODUCT, 'test');
  const trees = PRODUCT.map((path) => git('rev-parse', '--short=10', `HEAD:${path}`));
  const mark = changes === '' ? '' : '+';
  return { commit: git('rev-parse', '--short=10', 'HEAD') + mark, product: trees.join('.') + mark };
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}
