"""Which network addresses may be called from here: public ones, or private ones where allowed."""

import ipaddress

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# Source: the cloud providers' documentation of their metadata services; link-local ones are refused
# as a range.
_METADATA = frozenset(
    map(
        ipaddress.ip_address,
        ("168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"),
    )
)
_THIS_NETWORK = ipaddress.ip_network("0.0.0.0/8")
_CARRIER_NAT = ipaddress.ip_network("100.64.0.0/10")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def _unwrapped(address: Address) -> Address:
    """Return the IPv4 address inside an IPv6 one that only carries it."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _never(address: Address) -> bool:
    return (
        address.is_link_local
        or address.is_multicast
        or address.is_unspecified
        or address in _METADATA
        or address in _THIS_NETWORK
    )


def is_public(wrapped: Address) -> bool:
    """Tell whether an address is out on the internet, and no metadata service."""
    address = _unwrapped(wrapped)
    return address.is_global and not _never(address)


def is_private(wrapped: Address) -> bool:
    """Tell whether an address is of this machine or a private network, and may be allowed.

    Link-local, metadata, multicast and unspecified addresses are neither public nor private.
    """
    address = _unwrapped(wrapped)
    if _never(address):
        return False
    private = address.is_private and not address.is_reserved
    return address.is_loopback or private or address in _CARRIER_NAT
