import { Histogram, type HistogramConfiguration } from 'prom-client';

/** One series of a histogram. */
export interface Cell {
  readonly labels: Record<string, string>;
  /** Of each bucket alone, the one without a bound at the end. */
  readonly counts: number[];
  sum: number;
}

/**
 * A histogram of prom-client whose observations are additions to an array, looked at when the figures are read: its own
 * hash the labels at each observation, which costs more than all else that is done for a figure.
 */
export class CellHistogram extends Histogram {
  private readonly cells: Cell[] = [];
  private readonly terms: { readonly name: string; readonly help: string };
  private readonly bounds: readonly number[];

  constructor(options: HistogramConfiguration<string> & { readonly buckets: number[] }) {
    super(options);
    this.terms = options;
    this.bounds = options.buckets;
  }

  cell(labels: Record<string, string>): Cell {
    const cell = { labels, counts: Array.from({ length: this.bounds.length + 1 }, () => 0), sum: 0 };
    this.cells.push(cell);
    return cell;
  }

  /** Has another show the same series as this one, as far as they are wanted. */
  lend(other: CellHistogram, isWanted: (labels: Readonly<Record<string, string>>) => boolean): void {
    for (const cell of this.cells) if (isWanted(cell.labels)) other.cells.push(cell);
  }

  add(cell: Cell, value: number): void {
    const { bounds } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? Infinity)) at++;
    cell.counts[at] = (cell.counts[at] ?? 0) + 1;
    cell.sum += value;
  }

  /** What a registry of prom-client asks for when it writes text. */
  async getForPromString(): Promise<object> {
    const { name, help } = this.terms;
    const values = this.cells.flatMap((cell) => this.valuesOf(name, cell));
    return { name, help, type: 'histogram', aggregator: 'sum', values };
  }

  private valuesOf(name: string, { labels, counts, sum }: Cell): object[] {
    let count = 0;
    const buckets = counts.map((more, at) => {
      count += more;
      const le = this.bounds[at] ?? '+Inf';
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}
