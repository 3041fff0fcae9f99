/** Approvals */
export default function Page() {
  return <h1 tabIndex={-1}>Approvals</h1>;
}
