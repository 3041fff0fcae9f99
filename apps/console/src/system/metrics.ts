/** A sample of Prometheus's text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?\s+(\S+)/;
/** Sticky: one label stands right behind the other. */
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)",?/gy;
const ESCAPED: Readonly<Record<string, string>> = { n: '\n' };

/** Reads the text format (version 0.0.4); what is no sample is passed over. */
export function readMetrics(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    const match = line.startsWith('#') ? null : LINE.exec(line);
    if (match === null) return [];
    const [, name = '', labels = '', value = ''] = match;
    return [{ name, labels: labelsOf(labels), value: numberOf(value) }];
  });
}

const labelsOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(LABEL)].map(([, name = '', value = '']) => [
      name,
      value.replace(/\\(.)/g, (_, escaped: string) => ESCAPED[escaped] ?? escaped),
    ]),
  );

const numberOf = (text: string): number =>
  text === '+Inf' ? Infinity : text === '-Inf' ? -Infinity : Number(text);

type Labels = Readonly<Record<string, string>>;

const has = (sample: Sample, labels: Labels): boolean =>
  Object.entries(labels).every(([name, value]) => sample.labels[name] === value);

/** The sum of the samples of a metric with these labels; null: there is none, or the key may not read it. */
export function valueOf(samples: readonly Sample[], name: string, labels: Labels = {}): number | null {
  const found = samples.filter((sample) => sample.name === name && has(sample, labels));
  return found.length === 0 ? null : found.reduce((sum, { value }) => sum + value, 0);
}

/** The values of a label of a metric, in their order there. */
export const labelValues = (samples: readonly Sample[], name: string, label: string): readonly string[] => [
  ...new Set(samples.flatMap((sample) => (sample.name === name ? (sample.labels[label] ?? []) : []))),
];

/**
 * A quantile of a histogram, in its unit, as `histogram_quantile` of Prometheus has it: linear within a bucket, and the
 * highest finite bound where it lies beyond it.
 * @param q from 0 to 1
 * @returns null where nothing was counted
 */
export function quantile(
  samples: readonly Sample[],
  name: string,
  q: number,
  labels: Labels = {},
): number | null {
  const counts = new Map<number, number>();
  for (const sample of samples) {
    if (sample.name !== `${name}_bucket` || !has(sample, labels)) continue;
    const bound = numberOf(sample.labels['le'] ?? '');
    counts.set(bound, (counts.get(bound) ?? 0) + sample.value);
  }
  const buckets = [...counts].sort(([a], [b]) => a - b);
  const all = buckets.at(-1)?.[1] ?? 0;
  if (all === 0) return null;
  const rank = q * all;
  const at = buckets.findIndex(([, count]) => count >= rank);
  const [bound, count] = buckets[at] ?? [Infinity, all];
  const [lower, below] = buckets[at - 1] ?? [0, 0];
  if (bound === Infinity) return lower;
  return lower + (bound - lower) * (count === below ? 1 : (rank - below) / (count - below));
}

/** What reads the log and does something with it. */
export interface Follower {
  readonly name: string;
  /** Age of the oldest event that waits. */
  readonly lagS: number;
  /** Positions of the log that it has not passed. */
  readonly behind: number;
  /** In a row. */
  readonly failures: number;
  /** Events that are put aside, because they cannot be handled. */
  readonly parked: number;
  /** This replica does it. */
  readonly isRunning: boolean;
}

export const followersOf = (samples: readonly Sample[]): readonly Follower[] =>
  labelValues(samples, 'annals_follower_lag_seconds', 'follower').map((name) => {
    const figure = (metric: string): number =>
      valueOf(samples, `annals_follower_${metric}`, { follower: name }) ?? 0;
    return {
      name,
      lagS: figure('lag_seconds'),
      behind: figure('behind'),
      failures: figure('failures'),
      parked: figure('parked'),
      isRunning: figure('running') > 0,
    };
  });
