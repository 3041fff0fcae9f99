/** Approval */
export default function Page() {
  return <h1 tabIndex={-1}>Approval</h1>;
}
