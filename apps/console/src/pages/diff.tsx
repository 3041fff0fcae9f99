/** Compare runs */
export default function Page() {
  return <h1 tabIndex={-1}>Compare runs</h1>;
}
