/**
 * Taking turns: every member comes once before any comes again.
 *
 * @module
 */

interface Seat<Member> {
  readonly member: Member;
  previous: Seat<Member>;
  next: Seat<Member>;
}

/** A ring of members. Each operation takes the same time however many there are. */
export class TurnRing<Member> {
  readonly #seats = new Map<Member, Seat<Member>>();
  /** Whose turn is next. */
  #first: Seat<Member> | undefined;

  get size(): number {
    return this.#seats.size;
  }

  /** Adds a member behind all others; one that is there already keeps its place. */
  add(member: Member): void {
    if (this.#seats.has(member)) return;
    const first = this.#first;
    const seat = { member } as Seat<Member>;
    const last = first?.previous ?? seat;
    seat.previous = last;
    seat.next = first ?? seat;
    last.next = seat;
    seat.next.previous = seat;
    this.#first ??= seat;
    this.#seats.set(member, seat);
  }

  remove(member: Member): void {
    const seat = this.#seats.get(member);
    if (seat === undefined) return;
    this.#seats.delete(member);
    seat.previous.next = seat.next;
    seat.next.previous = seat.previous;
    if (this.#first === seat) this.#first = this.#seats.size === 0 ? undefined : seat.next;
  }

  /** The member whose turn it is; the turn passes to the one behind it. */
  turn(): Member | undefined {
    const seat = this.#first;
    this.#first = seat?.next;
    return seat?.member;
  }
}
