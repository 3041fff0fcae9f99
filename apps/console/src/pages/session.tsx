/** Session */
export default function Page() {
  return <h1 tabIndex={-1}>Session</h1>;
}
