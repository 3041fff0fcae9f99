import type { Block } from './passage.js';
import { shownNumber } from './cell-value.js';
import { paragraphsIn } from './office-paragraphs.js';
import { type Attributes, attribute, readXml } from './xml.js';

/** A list of what is drawn: the points of a chart as they were kept with it. */
interface Points {
  code: string | null;
  readonly values: Map<number, string>;
}

interface Series {
  name: string[];
  categories: Points;
  values: Points;
}

/** Titles of a chart, then each series: its name, and every value with its category. */
export function* chartBlocks(bytes: Uint8Array, page: number | null): Generator<Block> {
  yield* paragraphsIn(bytes, page);
  const reader = new ChartReader();
  readXml(bytes, reader);
  for (const { name, categories, values } of reader.series) {
    const points = [...values.values].map(([index, value]) => {
      const category = categories.values.get(index);
      const shown = shownNumber(value, { id: 0, code: values.code }, false);
      return category === undefined
        ? shown
        : `${shownNumber(category, { id: 0, code: categories.code }, false)}: ${shown}`;
    });
    const text = [name.join(' '), points.length > 0 ? points.join(', ') : categoriesOf(categories)]
      .filter((part) => part !== '')
      .join(': ');
    if (text !== '') yield { text, page };
  }
}

const categoriesOf = ({ values }: Points): string => [...values.values()].join(', ');
const noPoints = (): Points => ({ code: null, values: new Map() });

/** Follows a chart (`c:chartSpace`), or one of the newer kinds (`cx:chartSpace`), whose data stand apart from its series. */
class ChartReader {
  readonly series: Series[] = [];
  private current: Series | null = null;
  private part: 'name' | 'categories' | 'values' | null = null;
  private index = 0;
  private kept: string | null = null;
  private isCode = false;

  open(name: string, attributes: Attributes): void {
    if (name === 'ser' || name === 'data') this.begin();
    else if (name === 'tx') this.part = 'name';
    else if (name === 'cat' || name === 'xVal' || name === 'strDim') this.part = 'categories';
    else if (name === 'val' || name === 'yVal' || name === 'numDim') this.part = 'values';
    else if (name === 'pt') {
      this.index = Number(attribute(attributes, 'idx') ?? 0);
      // The newer kinds have no `v` in it.
      this.kept = '';
    } else if (name === 'v') this.kept = '';
    else if (name === 'formatCode') {
      this.isCode = true;
      this.kept = '';
    }
  }

  close(name: string): void {
    const text = this.kept?.trim() ?? '';
    if (name === 'formatCode' && this.isCode) this.keepCode(text);
    else if ((name === 'v' || name === 'pt') && text !== '') this.keep(text);
    else if (name === 'tx' || name === 'cat' || name === 'val') this.part = null;
    else if (name === 'ser' || name === 'data') this.current = null;
    if (['v', 'pt', 'formatCode'].includes(name)) this.kept = null;
  }

  text(piece: string): void {
    if (this.kept !== null) this.kept += piece;
  }

  private begin(): void {
    this.current = { name: [], categories: noPoints(), values: noPoints() };
    this.series.push(this.current);
    this.part = null;
  }

  private keep(text: string): void {
    if (this.current === null || this.part === null) return;
    if (this.part === 'name') this.current.name.push(text);
    else this.current[this.part].values.set(this.index, text);
  }

  private keepCode(code: string): void {
    this.isCode = false;
    if (this.current !== null && (this.part === 'categories' || this.part === 'values'))
      this.current[this.part].code = code;
  }
}
