/**
 * Taking turns: every member comes once before any comes again.
 *
 * @module
 */

/** A ring of members. Each operation takes the same time however many there are. */
export class TurnRing<Member> {
  /** In the order of their turns from where {@linkcode TurnRing.#turns} is. */
  readonly #members = new Set<Member>();
  /** Goes on for ever: whoever it gives goes behind all others. One that begins anew would step over all that left. */
  #turns = this.#members.values();

  get size(): number {
    return this.#members.size;
  }

  /** Adds a member behind all others; one that is there already keeps its place. */
  add(member: Member): void {
    this.#members.add(member);
  }

  remove(member: Member): void {
    this.#members.delete(member);
  }

  /** The member whose turn it is; the turn passes to the one behind it. */
  turn(): Member | undefined {
    let { value: member, done } = this.#turns.next();
    if (done) {
      // It ended when there were none.
      this.#turns = this.#members.values();
      ({ value: member, done } = this.#turns.next());
    }
    if (done) return undefined;
    this.#members.delete(member!);
    this.#members.add(member!);
    return member;
  }
}
