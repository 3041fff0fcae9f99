/**
 * Where each page of a list begins, if no page is to weigh more than `most`: whatever one item weighs, a page has at least one.
 * @param weights of the items, in their order, such as how many nodes each is in the page
 */
export function pageStarts(weights: readonly number[], most: number): readonly number[] {
  const starts: number[] = [];
  let sum = 0;
  for (const [at, weight] of weights.entries()) {
    sum += weight;
    if (at > 0 && sum <= most) continue;
    starts.push(at);
    sum = weight;
  }
  return starts;
}
