/** Deliveries */
export default function Page() {
  return <h1 tabIndex={-1}>Deliveries</h1>;
}
