/** Runs */
export default function Page() {
  return <h1 tabIndex={-1}>Runs</h1>;
}
