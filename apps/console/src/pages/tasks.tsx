/** Tasks */
export default function Page() {
  return <h1 tabIndex={-1}>Tasks</h1>;
}
